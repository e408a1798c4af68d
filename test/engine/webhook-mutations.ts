/** What can be wrong with a delivery: each kind makes one that must not be taken from one that would be. */
import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { webhookPath } from '../../src/web/server.ts';
import { secret } from './webhook-server.ts';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** A whole number from 0 up to, and without, `below`. */
export type Pick = (below: number) => number;

/** The same numbers for the same seed (mulberry32). */
export function createPick(seed: number): Pick {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export const digestOf = (body: Buffer | string, key = secret, algorithm = 'sha256') =>
  createHmac(algorithm, key).update(body).digest('hex');

export function genuine(guid: string, pick: Pick): Sent {
  const payload = {
    action: 'labeled',
    installation: { id: 7 },
    repository: { id: 100 + pick(1000), name: 'shop', owner: { login: 'octo' } },
    sender: { id: 5, login: 'ada', type: 'User' },
    issue: { number: 1 + pick(10_000), title: `CANARY é 👩 ${pick(1e9)}` },
  };
  const body = Buffer.from(JSON.stringify(payload));
  return {
    method: 'POST',
    path: webhookPath,
    headers: [
      ['content-type', 'application/json'],
      ['x-github-event', 'issues'],
      ['x-github-delivery', guid],
      ['x-hub-signature-256', `sha256=${digestOf(body)}`],
    ],
    body,
  };
}

type Mutation = (sent: Sent, pick: Pick) => Sent;

const signature = 'x-hub-signature-256';

/** Without the header where `value` is null. */
function withHeader(sent: Sent, name: string, value: string | null): Sent {
  const others = sent.headers.filter(([each]) => each !== name);
  return { ...sent, headers: value === null ? others : [...others, [name, value]] };
}

const signed = (make: (digest: string, sent: Sent, pick: Pick) => string | null): Mutation => {
  return (sent, pick) => withHeader(sent, signature, make(digestOf(sent.body), sent, pick));
};

/** Another body under the signature of the first. */
const rewritten = (make: (text: string, sent: Sent, pick: Pick) => Buffer | string): Mutation => {
  return (sent, pick) => ({ ...sent, body: Buffer.from(make(sent.body.toString(), sent, pick)) });
};

/** A body that is no object, under a signature of its own. */
const signedBody = (make: (pick: Pick) => string | Buffer): Mutation => {
  return (sent, pick) => {
    const body = Buffer.from(make(pick));
    return withHeader({ ...sent, body }, signature, `sha256=${digestOf(body)}`);
  };
};

function swap(text: string, at: number, character: string): string {
  return text.slice(0, at) + character + text.slice(at + 1);
}

const other = (digit: string, pick: Pick) => '0123456789abcdef'.replace(digit, '')[pick(15)] ?? '0';
const oneOf = <T>(all: readonly [T, ...T[]], pick: Pick): T => all[pick(all.length)] ?? all[0];

export const mutations: Readonly<Record<string, Mutation>> = {
  'no signature': signed(() => null),
  'an empty signature': signed((_, __, pick) => oneOf(['', 'sha256=', 'sha256', '='], pick)),
  'one digit of the signature changed': signed((digest, _, pick) => {
    const at = pick(64);
    return `sha256=${swap(digest, at, other(digest[at] ?? '', pick))}`;
  }),
  'a signature that is cut': signed((digest, _, pick) => `sha256=${digest.slice(0, pick(64))}`),
  'a signature that goes on': signed((digest, _, pick) => `sha256=${digest}${other('', pick).repeat(1 + pick(64))}`),
  'a prefix of another kind': signed(
    (digest, _, pick) =>
      `${oneOf(['', 'SHA256=', 'Sha256=', 'sha1=', 'sha-256=', 'sha512=', 'sha256:', '='], pick)}${digest}`,
  ),
  'a signature in capitals': signed((digest) => `sha256=${digest.toUpperCase().replace(/^\d+$/, 'A')}`),
  'blanks within the signature': signed((digest, _, pick) => {
    const at = 1 + pick(62);
    return `sha256=${digest.slice(0, at)}${oneOf([' ', '\t', ', '], pick)}${digest.slice(at)}`;
  }),
  'letters that look the same': signed((digest, _, pick) => {
    return oneOf([`ſha256=${digest}`, `sha256=${swap(digest, pick(64), 'ａ')}`, `sha256=\u200b${digest}`], pick);
  }),
  'a signature in base64': signed((digest) => `sha256=${Buffer.from(digest, 'hex').toString('base64')}`),
  'a signature by another key': signed((_, { body }, pick) => {
    const keys = ['development', 'secret', '', ' ', 'undefined', 'null', secret.toUpperCase(), `${secret} `] as const;
    return `sha256=${digestOf(body, oneOf(keys, pick))}`;
  }),
  'a hash without a key': signed(
    (_, { body }) => `sha256=${createHmac('sha256', Buffer.alloc(64)).update(body).digest('hex')}`,
  ),
  'a signature by another algorithm': signed((_, { body }, pick) => {
    const algorithm = oneOf(['sha1', 'sha384', 'sha512', 'md5'], pick);
    return `${oneOf(['sha256', algorithm], pick)}=${digestOf(body, secret, algorithm)}`;
  }),
  'SHA-1 alone': (sent) => {
    const sha1 = `sha1=${digestOf(sent.body, secret, 'sha1')}`;
    return withHeader(withHeader(sent, signature, null), 'x-hub-signature', sha1);
  },
  'the signature under another name': (sent, pick) => {
    const name = oneOf(
      ['x-hub-signature', 'x_hub_signature_256', 'hub-signature-256', 'authorization', 'cookie'],
      pick,
    );
    return withHeader(withHeader(sent, signature, null), name, `sha256=${digestOf(sent.body)}`);
  },
  'the signature in the address': (sent) => {
    const path = `${sent.path}?${signature}=sha256=${digestOf(sent.body)}&secret=${encodeURIComponent(secret)}`;
    return withHeader({ ...sent, path }, signature, null);
  },
  'two signatures': (sent, pick) => {
    const good = `sha256=${digestOf(sent.body)}`;
    const bad = `sha256=${digestOf(sent.body, 'another')}`;
    const pair = oneOf(
      [
        [good, bad],
        [bad, good],
        [good, good],
        ['', good],
      ],
      pick,
    );
    const rest = withHeader(sent, signature, null);
    return { ...rest, headers: [...rest.headers, ...pair.map((value) => [signature, value] as const)] };
  },
  'one byte changed': rewritten((text, sent, pick) => {
    const bytes = Buffer.from(text);
    const at = 1 + pick(sent.body.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(8));
    return bytes;
  }),
  'a byte left out or put in': rewritten((_, { body }, pick) => {
    const at = 1 + pick(body.length - 1);
    const rest = body.subarray(at + pick(2));
    return Buffer.concat([body.subarray(0, at), ...(rest.length === body.length - at ? [Buffer.from('0')] : []), rest]);
  }),
  'a body that is cut': rewritten((_, { body }, pick) => body.subarray(0, 1 + pick(body.length - 1))),
  'the same JSON in another form': rewritten((text, _, pick) => {
    const forms = [
      JSON.stringify(JSON.parse(text), null, 1 + pick(8)),
      `${text}${oneOf(['\n', ' ', '\r\n', '\t'], pick)}`,
      ` ${text}`,
      text.replaceAll('"action"', '"\\u0061ction"'),
      JSON.stringify(Object.fromEntries(Object.entries(Object(JSON.parse(text))).toReversed())),
      text.normalize('NFD'),
      text.replace('{', '{"action":"deleted",'),
      text.replace(/\}$/, ',"installation":{"id":8}}'),
    ] as const;
    return oneOf(forms, pick);
  }),
  'a mark of byte order, UTF-16 or bytes that are no UTF-8': rewritten((text, _, pick) => {
    const at = 1 + pick(text.length - 1);
    return oneOf(
      [
        Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]),
        Buffer.from(text, 'utf16le'),
        Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from(text.slice(at))]),
        Buffer.from(text, 'latin1'),
      ],
      pick,
    );
  }),
  'a body that is packed': (sent, pick) => {
    const encoding = oneOf(['gzip', 'x-gzip', 'deflate', 'br', 'identity, gzip'], pick);
    return { ...withHeader(sent, 'content-encoding', encoding), body: gzipSync(sent.body) };
  },
  'a body that is no object': signedBody((pick) =>
    oneOf(
      [
        '[]',
        'null',
        '"labeled"',
        '1',
        'true',
        ' ',
        '{',
        '{"a":',
        '{]',
        '\u0000{}',
        '[{"action":"labeled"}]',
        "{'a':1}",
      ],
      pick,
    ),
  ),
  'bytes that are no UTF-8, signed': signedBody((pick) =>
    Buffer.from([0x7b, 0x22, 0xf8 + pick(8), 0x22, 0x3a, 0x31, 0x7d]),
  ),
  'another type of content': (sent, pick) => {
    const types = [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/xml',
    ] as const;
    return withHeader(sent, 'content-type', oneOf(types, pick));
  },
  'a form': (sent) => {
    const body = Buffer.from(`payload=${encodeURIComponent(sent.body.toString())}`);
    const form = withHeader({ ...sent, body }, 'content-type', 'application/x-www-form-urlencoded');
    return withHeader(form, signature, `sha256=${digestOf(body)}`);
  },
  'no event or no delivery': (sent, pick) =>
    withHeader(
      sent,
      oneOf(['x-github-event', 'x-github-delivery'], pick),
      oneOf([null, '', ' ', '../x', 'a b', 'x'.repeat(101)], pick),
    ),
  'another method': (sent, pick) => ({
    ...sent,
    method: oneOf(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'], pick),
  }),
  'another path': (sent, pick) => {
    const paths = [
      '/',
      `${sent.path}/`,
      `/${sent.path}`,
      '/api/github',
      `${sent.path}%2f`,
      '/API/GITHUB/WEBHOOKS',
    ] as const;
    const others = [
      '/api/github/hooks',
      `/x/..${sent.path}`,
      '/api/github/./webhooks',
      `http://localhost${sent.path}`,
    ] as const;
    return { ...sent, path: oneOf([...paths, ...others], pick) };
  },
};

/** What only a socket can say, as bytes; each comes with a signature that does not hold, or in a form that HTTP does not know. */
export const rawMutations: Readonly<Record<string, (sent: Sent, pick: Pick) => Buffer>> = {
  'HTTP/1.0 without a signature': (sent) => raw(withHeader(sent, signature, null), { version: '1.0' }),
  'chunks that are no chunks': (sent, pick) => {
    const size = oneOf(['zz', '-1', 'ffffffffffffffffff', '1;', '0x10'], pick);
    return raw(
      { ...sent, body: Buffer.from(`${size}\r\n${sent.body}\r\n0\r\n\r\n`) },
      { length: null, more: ['Transfer-Encoding: chunked'] },
    );
  },
  'chunks of another body': (sent) => {
    const body = `${sent.body.toString().replace('labeled', 'deleted')}`;
    const chunk = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    return raw({ ...sent, body: Buffer.from(chunk) }, { length: null, more: ['Transfer-Encoding: chunked'] });
  },
  'a length and chunks': (sent) => raw(sent, { more: ['Transfer-Encoding: chunked'] }),
  'two lengths': (sent, pick) => raw(sent, { more: [`Content-Length: ${pick(sent.body.length)}`] }),
  'a length that is too short': (sent, pick) => raw(sent, { length: String(pick(sent.body.length)) }),
  'a length that is none': (sent, pick) => raw(sent, { length: oneOf(['-1', 'abc', '1e3', '0x10', '+5'], pick) }),
  'a name with a blank behind it': (sent) =>
    raw(withHeader(sent, signature, null), { more: [`X-Hub-Signature-256 : sha256=${digestOf(sent.body)}`] }),
  'a header over two lines': (sent) =>
    raw(withHeader(sent, signature, null), { more: ['X-Hub-Signature-256: sha256=', ` ${digestOf(sent.body)}`] }),
  'a second request within the first': (sent) => {
    const forged = withHeader(sent, signature, `sha256=${digestOf(sent.body, 'development')}`);
    return Buffer.concat([raw(forged, { close: false }), raw(forged)]);
  },
  'no HTTP': (sent, pick) => {
    const noise = Buffer.from(Array.from({ length: 64 }, () => pick(256)));
    return Buffer.concat([noise, Buffer.from('\r\n\r\n'), sent.body]);
  },
};

interface RawForm {
  readonly version?: string;
  /** `null`: none is said. */
  readonly length?: string | null;
  readonly more?: readonly string[];
  readonly close?: boolean;
}

function raw(sent: Sent, { version = '1.1', length, more = [], close = true }: RawForm = {}): Buffer {
  const said = length === undefined ? String(sent.body.length) : length;
  const lines = [
    `${sent.method} ${sent.path} HTTP/${version}`,
    'Host: localhost',
    ...sent.headers.map(([name, value]) => `${name}: ${value}`),
    ...(said === null ? [] : [`Content-Length: ${said}`]),
    ...more,
    ...(close ? ['Connection: close'] : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), sent.body]);
}

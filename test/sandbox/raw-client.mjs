/** Runs in the sandbox and says what the proxy answers to bytes that no ordinary client sends. */
import { connect } from 'node:net';

const allowed = 'gone.example.com';
const { username, password } = new URL(process.env.HTTP_PROXY);
const [user, secret] = [username, password].map((text) => Buffer.from(decodeURIComponent(text)));
const login = Buffer.concat([Buffer.of(1, user.length), user, Buffer.of(secret.length), secret]);
const authorization = `Proxy-Authorization: Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;

/** Sends one part after each answer, and ends once the whole answer is long enough. */
function exchange(port, parts, isWhole) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = Buffer.alloc(0);
    socket.on('data', (data) => {
      answer = Buffer.concat([answer, data]);
      const next = parts.shift();
      if (next !== undefined) socket.write(next);
      else if (isWhole(answer)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
    socket.write(parts.shift());
  });
}

const codesOf = (answer) => [...answer.toString('latin1').matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code);

async function http(lines, more = '') {
  const heads = lines.map((line) => `${line} HTTP/1.1\r\nHost: ${allowed}\r\n${authorization}\r\n${more}\r\n`);
  return codesOf(await exchange(3128, [heads.join('')], (answer) => codesOf(answer).length >= lines.length)).join();
}

async function socks(type, address, command = 1) {
  const request = Buffer.concat([Buffer.of(5, command, 0, type), address, Buffer.of(1, 187)]);
  const answer = await exchange(1080, [Buffer.of(5, 1, 2), login, request], (whole) => whole.length >= 14);
  return { reply: answer[5] };
}

async function socksUnknown() {
  const request = Buffer.concat([Buffer.of(5, 1, 0, 3), name(allowed), Buffer.of(1, 187)]);
  const answer = await exchange(1080, [Buffer.of(5, 1, 0), request], (whole) => whole.length >= 12);
  return { reply: answer[3] };
}

const name = (text) => Buffer.concat([Buffer.of(text.length), Buffer.from(text, 'latin1')]);
const get = (url) => `GET ${url}`;

const attempts = {
  'a second request on one connection': http(
    [`http://${allowed}/`, 'http://outside.example.com/', `http://${allowed}/`].map(get),
  ),
  'an absolute URI behind an allowed Host': http([get('http://outside.example.com/')]),
  'a name before the host': http([get(`http://${allowed}@outside.example.com/`)]),
  'an escaped NUL': http([get(`http://outside.example.com%00.${allowed}/`)]),
  'a request of two lengths': http([`POST http://${allowed}/`], 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n'),
  'CONNECT to an address within an address': http(['CONNECT [::ffff:127.0.0.1]:443']),
  'CONNECT to a decimal address': http(['CONNECT 2130706433:443']),
  'CONNECT to another port': http([`CONNECT ${allowed}:6379`]),
  'SOCKS by an allowed name': socks(3, name(allowed)),
  'SOCKS by a name with NUL': socks(3, name(`outside.example.com\0.${allowed}`)),
  'SOCKS by a name with an escape': socks(3, name(`${allowed}%00`)),
  'SOCKS by a name with a name before it': socks(3, name(`outside@${allowed}`)),
  'SOCKS by an octal address': socks(3, name('0177.0.0.1')),
  'SOCKS by an address': socks(1, Buffer.of(127, 0, 0, 1)),
  'SOCKS by an address within an address': socks(4, Buffer.from('00000000000000000000ffff7f000001', 'hex')),
  'SOCKS to bind': socks(3, name(allowed), 2),
  'SOCKS for UDP': socks(3, name(allowed), 3),
  'SOCKS without the password': socksUnknown(),
};
const answers = await Promise.all(Object.values(attempts));
process.stdout.write(JSON.stringify(Object.fromEntries(Object.keys(attempts).map((key, at) => [key, answers[at]]))));

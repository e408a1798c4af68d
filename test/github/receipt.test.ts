import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  formatReceipt,
  formatReceiptSection,
  parseReceipt,
  parseReceiptSection,
  readReceipt,
} from '../../src/github/receipt.ts';
import { approval, newKey } from './keys.ts';

const key = newKey();

test('a receipt is the approval word for word, as canonical JSON', () => {
  const { reviewers, ...others } = approval;
  assert.equal(formatReceipt({ reviewers, ...others }), formatReceipt(approval));
  assert.equal(
    formatReceipt(approval),
    [
      `{"base":"${approval.base}","head":"${approval.head}","planBlob":"${approval.planBlob}","pullRequest":43`,
      '"repository":{"id":7,"name":"shop","owner":"ann"}',
      '"reviewers":[{"id":2,"login":"wes","permission":"write","review":9}]',
      '"rule":{"allowEmptyPlan":false,"codeOwners":false,"notByRequester":false,"requireResolvedThreads":true,"required":1,"stale":"block","teams":null,"users":null}',
      '"version":"0.1.0"}',
    ].join(','),
  );
  assert.deepEqual(parseReceipt(formatReceipt(approval)), approval);
});

test('a receipt names what an implementation may use, where it was approved, and is none with that changed', () => {
  const bounded = { ...approval, ceiling: { maxTurns: 80, maxTokens: 2_000_000, maxDollars: 1.5 } };
  const text = formatReceipt(bounded);
  assert.ok(text.includes('"ceiling":{"maxDollars":1.5,"maxTokens":2000000,"maxTurns":80},'), text);
  assert.deepEqual(parseReceipt(text), bounded);
  assert.deepEqual(readReceipt({ receipt: text, signature: key.sign(text) }, key), bounded);
  const raised = text.replace('"maxTurns":80', '"maxTurns":800');
  assert.equal(readReceipt({ receipt: raised, signature: key.sign(text) }, key), null);
});

test('a receipt stays one line of printable ASCII, whatever a login or a configuration holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string({ unit: 'grapheme' })), (login, users) => {
      const [reviewer] = approval.reviewers;
      assert.ok(reviewer);
      const odd = { ...approval, reviewers: [{ ...reviewer, login }], rule: { ...approval.rule, users } };
      const text = formatReceipt(odd);
      assert.match(text, /^[\x20-\x7e]+$/);
      assert.deepEqual(parseReceipt(text), odd);
      const shown = parseReceiptSection(formatReceiptSection(odd, key.sign));
      assert.ok(shown);
      assert.deepEqual(readReceipt(shown, key), odd);
    }),
    { numRuns: 50 },
  );
});

test('a receipt in other bytes, with more or with less in it, is none', () => {
  const text = formatReceipt(approval);
  const others = [
    '',
    'null',
    '{}',
    '{',
    ` ${text}`,
    `${text}\n`,
    text.replace('"version":"0.1.0"', '"version":"0.1.0","more":1'),
    text.replace('"head"', '"tail"'),
    text.replace('"wes"', '"w\\u0065s"'),
    JSON.stringify(approval),
  ];
  for (const other of others) assert.equal(parseReceipt(other), null, other);
});

test('a receipt that another key has signed, or of which a byte was changed, is none', () => {
  const text = formatReceipt(approval);
  const signature = key.sign(text);
  assert.deepEqual(readReceipt({ receipt: text, signature }, key), approval);
  assert.equal(signature, key.sign(text));
  assert.equal(readReceipt({ receipt: text, signature: newKey().sign(text) }, key), null);
  assert.equal(readReceipt({ receipt: text.replace('"pullRequest":43', '"pullRequest":44'), signature }, key), null);
  for (const odd of ['', '!', signature.slice(4), `${signature}\n`])
    assert.equal(readReceipt({ receipt: text, signature: odd }, key), null, odd);
});

test("anybody can check a receipt with the app's public key alone, by openssl or by any other library", (t) => {
  const shown = parseReceiptSection(`Words.\n\n${formatReceiptSection(approval, key.sign)}`);
  assert.ok(shown);
  const bytes = Buffer.from(shown.signature, 'base64');
  assert.ok(verify('sha256', Buffer.from(shown.receipt), createPublicKey(key.publicKey), bytes));
  const folder = mkdtempSync(join(tmpdir(), 'planwright-receipt-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({
    'receipt.json': shown.receipt,
    'receipt.txt': shown.signature,
    'planwright.pem': key.publicKey,
  })) {
    writeFileSync(join(folder, name), text);
  }
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { cwd: folder, encoding: 'utf8' });
  try {
    openssl('version');
  } catch {
    t.diagnostic('openssl is not on this machine');
    return;
  }
  openssl('base64', '-d', '-A', '-in', 'receipt.txt', '-out', 'receipt.sig');
  const said = openssl('dgst', '-sha256', '-verify', 'planwright.pem', '-signature', 'receipt.sig', 'receipt.json');
  assert.equal(said, 'Verified OK\n');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKnownSecrets } from '../../src/text/known-secrets.ts';
import { createOutGate } from '../../src/text/out-gate.ts';
import { cleanMarkdown } from '../../src/text/text-out.ts';
import { secretForms } from './secret-forms.ts';
import { furtherForms, requiredForms } from './written-forms.ts';

const webhookSecret = 'f4c1d2a90b7e6358cc01947ab2de58f3';
const token = secretForms[0]?.[1] ?? '';
const gate = createOutGate(createKnownSecrets([{ what: 'webhook secret of this app', value: webhookSecret }]));

test('S79: a text without secrets passes as it is', async () => {
  const text = 'The plan waits in #7.\n\n```ts\nconst sha = "1f0c9e2b7a6d5c4b3a291807f6e5d4c3b2a19080";\n```';
  assert.deepEqual(await gate.withhold(text), { text, withheld: [] });
  assert.deepEqual(await gate.secretsIn(text), []);
});

test('S79, case 160: a notice stands in the place of each secret, and the rest of the text stays', async () => {
  assert.deepEqual(await gate.withhold(`Use ${token} here,\nor (${webhookSecret}).`), {
    text: 'Use [withheld: looks like a GitHub token] here,\nor [withheld: looks like a webhook secret of this app]',
    withheld: ['GitHub token', 'webhook secret of this app'],
  });
});

test('S79: in every form, no part of the secret is left, and what is left passes', async () => {
  for (const [form, write] of Object.entries({ ...requiredForms, ...furtherForms })) {
    const written = write(webhookSecret);
    const { text, withheld } = await gate.withhold(`Before.\n\n${written}\n\nBehind.`);
    assert.deepEqual(withheld, ['webhook secret of this app'], form);
    assert.deepEqual(await gate.withhold(text), { text, withheld: [] }, form);
    assert.match(text, /^Before\.\n\n.*withheld: looks like a webhook secret of this app.*\n\nBehind\.$/s, form);
  }
});

test('S79: where nothing else is left, or not all was looked at, nothing of the text goes out', async () => {
  const many = Array.from({ length: 2100 }, (_, index) => token.slice(0, -4) + String(index).padStart(4, '0'));
  const { text, withheld } = await gate.withhold(`Look: ${many.join('\n'.repeat(200))}`);
  assert.equal(text, '[withheld: looks like a GitHub token]');
  assert.deepEqual(withheld, ['GitHub token', 'text with too many secrets to tell them all']);
});

test('S78: taking a secret out makes nothing active that was not', async () => {
  const spaced = token.split('').join('`');
  for (const hostile of [
    `${token}@bob`,
    `x@bob/${token}`,
    `\`a ${spaced} @bob\``,
    `${token}#7 and ${token}/x#8`,
    `\`\`\`\n${token.split('').join('\n')}\n@bob fixes #7\n\`\`\``,
    `~~~\n${token}~~~\n@bob\n~~~`,
  ]) {
    const { text, withheld } = await gate.withhold(cleanMarkdown(hostile, { ownIssue: 1 }));
    assert.deepEqual(withheld, ['GitHub token'], hostile);
    assert.equal(cleanMarkdown(text, { ownIssue: 1 }), text, hostile);
  }
});

test('S79: what is learnt later is withheld from then on, in texts that passed before too', async () => {
  const own = createOutGate(createKnownSecrets([]));
  const text = `The number is ${webhookSecret}.`;
  assert.deepEqual((await own.withhold(text)).withheld, []);
  own.learn({ what: "token of this app's installation", value: webhookSecret });
  assert.deepEqual(await own.withhold(text), {
    text: "The number is [withheld: looks like a token of this app's installation]",
    withheld: ["token of this app's installation"],
  });
});

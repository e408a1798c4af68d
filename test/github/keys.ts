import { generateKeyPairSync } from 'node:crypto';
import { type AppKey, createAppKey } from '../../src/github/app-key.ts';
import type { Approval } from '../../src/lifecycle/memory.ts';
import { policy } from '../lifecycle/world.ts';

/** The key of an app that no other test knows. */
export function newKey(): AppKey {
  return createAppKey(newPrivateKey());
}

export function newPrivateKey(): string {
  const pem = { type: 'pkcs8', format: 'pem' } as const;
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem).toString();
}

export const approval: Approval = {
  repository: { id: 7, owner: 'ann', name: 'shop' },
  pullRequest: 43,
  head: 'a'.repeat(40),
  planBlob: 'b'.repeat(40),
  base: 'c'.repeat(40),
  reviewers: [{ id: 2, login: 'wes', permission: 'write', review: 9 }],
  rule: policy.approval,
  version: '0.1.0',
};

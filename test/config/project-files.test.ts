import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseRepositoryConfig } from '../../src/config/repository-config.ts';

function readYaml(path: string): unknown {
  return parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
}

test('the app asks for the permissions and events that it uses, and no other', () => {
  assert.deepEqual(readYaml('app.yml'), {
    name: 'planwright',
    description: 'Turns issues into approved plans, and approved plans into pull requests.',
    url: 'https://planwright.example.com',
    public: false,
    hook_attributes: { url: 'https://planwright.example.com/api/github/webhooks', active: true },
    default_permissions: {
      metadata: 'read',
      contents: 'write',
      issues: 'write',
      pull_requests: 'write',
      checks: 'write',
      members: 'read',
    },
    default_events: [
      'issues',
      'issue_comment',
      'pull_request',
      'pull_request_review',
      'pull_request_review_comment',
      'pull_request_review_thread',
    ],
  });
});

test('S85: the app cannot change workflows, and the README says what CI on its branches must not hold', () => {
  const manifest = z.object({ default_permissions: z.record(z.string(), z.string()) }).parse(readYaml('app.yml'));
  assert.equal(Object.hasOwn(manifest.default_permissions, 'workflows'), false);
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const section = /^### What CI must not hold\n([\s\S]*?)^### /m.exec(readme)?.[1] ?? '';
  for (const word of ['`planwright/*`', 'no secrets', '`permissions: contents: read`', '`pull_request_target`']) {
    assert.ok(section.includes(word), word);
  }
});

test('the issue form carries the label that starts a thread by default', () => {
  const form = readYaml('.github/ISSUE_TEMPLATE/plan-request.yml');
  const parsed = parseRepositoryConfig(null);
  assert.ok('config' in parsed && typeof form === 'object' && form !== null && 'labels' in form);
  assert.deepEqual(form.labels, [parsed.config.trigger.label]);
});

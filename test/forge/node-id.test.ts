import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeId, parseNodeId } from '../../src/local/forge/node-id.ts';

test('a node id leads back to kind and id, and nothing else is one', () => {
  assert.deepEqual(parseNodeId(nodeId('pullRequest', 12)), { kind: 'pullRequest', id: '12' });
  const ref = '7:refs/heads/a_b/ü';
  assert.deepEqual(parseNodeId(nodeId('ref', ref)), { kind: 'ref', id: ref });
  for (const text of ['', 'PR', 'PR_', 'XX_MTI', 'PR_MTI=', 'PR_!!']) assert.equal(parseNodeId(text), null, text);
});

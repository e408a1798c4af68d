import assert from 'node:assert/strict';
import { test } from 'node:test';
import { protectedPlaces, wellKnownPlaces } from '../../src/plan/protected-places.ts';
import { isProtected } from '../../src/plan/scope.ts';

const tree = [
  'src/a.ts',
  'docs/guide.md',
  '.github/workflows/ci.yml',
  '.github/dependabot.yml',
  'packages/one/CLAUDE.md',
  'packages/one/.claude/commands/a.md',
  'packages/two/deep/AGENTS.md',
];

test('every well-known place is a protected one (S42)', () => {
  assert.deepEqual(
    wellKnownPlaces.filter((place) => !isProtected(place) && !isProtected(`${place}/_`)),
    [],
  );
});

test('what is protected is held at any depth, as the outermost folder of nothing else, and what is well known where it is not there (S42)', () => {
  const places = protectedPlaces(tree, [{ path: 'src/a.ts', change: 'modify' }]);
  assert.deepEqual(
    places.filter((place) => !wellKnownPlaces.includes(place) || place === '.github'),
    ['.github', 'packages/one/CLAUDE.md', 'packages/one/.claude', 'packages/two/deep/AGENTS.md'],
  );
  assert.deepEqual(
    wellKnownPlaces.filter((place) => !places.includes(place)),
    [],
  );
});

test('what the plan names is not held, nor what holds it; its neighbours are (S42)', () => {
  const places = protectedPlaces(tree, [
    { path: '.github/workflows/ci.yml', change: 'modify' },
    { path: '.claude/settings.json', change: 'create' },
    { path: 'AGENTS.md', change: 'create' },
  ]);
  assert.deepEqual(
    ['.github', '.github/workflows/ci.yml', '.github/dependabot.yml', '.claude', 'AGENTS.md', 'CLAUDE.md'].filter(
      (place) => places.includes(place),
    ),
    ['.github/dependabot.yml', 'CLAUDE.md'],
  );
});

test('a name beneath a folder that is not there is not held, as the folder would have to be made for it (S42)', () => {
  assert.equal(protectedPlaces(['src/a.ts'], []).includes('docs/CODEOWNERS'), false);
  assert.equal(protectedPlaces(['docs/a.md'], []).includes('docs/CODEOWNERS'), true);
});

test('a tree of 200,000 files is gone through at once, and of very many protected files the outermost are held (S42)', () => {
  const large = Array.from({ length: 200_000 }, (_, index) => `packages/p${index % 500}/src/folder/file-${index}.ts`);
  const many = Array.from({ length: 500 }, (_, index) => `packages/p${index}/AGENTS.md`);
  const begun = performance.now();
  const places = protectedPlaces([...large, ...many, 'tools/AGENTS.md'], []);
  assert.ok(performance.now() - begun < 2000);
  assert.equal(places.length, 120);
  assert.ok(places.includes('tools/AGENTS.md'));
});

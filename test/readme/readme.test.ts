import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { environmentVariables } from '../../src/config/environment-variables.ts';
import { configurationKeys } from '../../src/config/repository-config.ts';
import { statusLabels, threadStates } from '../../src/lifecycle/state.ts';

const root = new URL('../../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');

function section(name: string): string {
  const match = new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)<!-- /${name} -->`).exec(readme);
  assert.ok(match?.[1] !== undefined, `the README has a section ${name}`);
  return match[1].trim();
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function defaultCell(value: string | null): string {
  return value === null ? '' : `\`${value}\``;
}

test('the README names every variable of the environment, as it is read', () => {
  const rows = environmentVariables.map(({ name, meaning, isRequired, default: value }) => [
    `\`${name}\``,
    isRequired ? 'required' : defaultCell(value),
    meaning,
  ]);
  assert.equal(section('environment'), table(['variable', 'default', 'meaning'], rows));
});

test('the README names every key of the configuration, as the schema has it', () => {
  const rows = configurationKeys().map(({ key, meaning, default: value }) => [
    `\`${key}\``,
    defaultCell(value),
    meaning,
  ]);
  assert.equal(section('configuration'), table(['key', 'default', 'meaning'], rows));
});

test("the README's states are those of the lifecycle, in its own words", () => {
  const source = readFileSync(new URL('src/lifecycle/decide.ts', root), 'utf8');
  const described = [...source.matchAll(/^ \* \| ([a-z_]+) \| (.+) \| (.+) \|$/gm)]
    .map(([, state = '', holds = '', leaves = '']) => ({ state, holds, leaves }))
    .filter(({ state }) => state !== 'state');
  assert.deepEqual(
    described.map(({ state }) => state),
    [...threadStates],
  );
  const rows = threadStates.map((state, at) => {
    const label = statusLabels[state];
    const words = described[at];
    return [`\`${state}\``, label === null ? '' : `\`${label}\``, words?.holds ?? '', words?.leaves ?? ''];
  });
  assert.equal(section('states'), table(['state', 'label', 'what holds', 'leaves when'], rows));
});

test('every file that the README links to is there', () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1] ?? '');
  assert.ok(links.length > 5);
  const missing = links.filter((link) => !existsSync(new URL(link, root)));
  assert.deepEqual(missing, []);
});

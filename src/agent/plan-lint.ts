/** The plan lint over a run's checkout. */

import { lintPlan } from '../plan/lint.ts';
import type { BaseTree, LintContext } from '../plan/lint-context.ts';
import { hiddenCharacters } from '../text/hidden-characters.ts';
import { readCheckout } from './checkout-reader.ts';
import type { RunSpec, TreeReport } from './run-protocol.ts';
import type { LintText } from './tools/exit-plan-mode.ts';

type Place = Pick<RunSpec, 'issue' | 'base' | 'planPath' | 'checkout' | 'forgeHost'>;

/** Where the checkout is the base commit as it is. */
export function planLint(place: Place): LintText {
  return (text) => lintText(text, { ...place, ...readCheckout(place.checkout) });
}

/** Where an implementation has changed the checkout: what counts is what was there before that. */
export function amendmentLint(place: Place, readTree: () => Promise<TreeReport>): LintText {
  return async (text) => {
    const { changes } = await readTree();
    return lintText(text, { ...place, ...beforeChanges(readCheckout(place.checkout), changes) });
  };
}

function beforeChanges(now: BaseTree, changes: TreeReport['changes']): BaseTree {
  const made = new Set(changes.flatMap(({ path, change }) => (['create', 'move'].includes(change) ? [path] : [])));
  const gone = new Set(changes.flatMap(({ path, change, from }) => (change === 'delete' ? [path] : [from])));
  const touched = new Set(changes.flatMap(({ path, from }) => [path, from]));
  return {
    exists: (asked) => gone.has(asked) || (!made.has(asked) && now.exists(asked)),
    textOf: (asked) => (touched.has(asked) ? null : now.textOf(asked)),
    namesIn: (folder) => now.namesIn(folder).filter((name) => !made.has(folder === '' ? name : `${folder}/${name}`)),
  };
}

async function lintText(text: string, context: LintContext): Promise<readonly string[]> {
  return [...(await findForbidden(text)), ...lintPlan(text, context)];
}

/** What no commit of a plan may hold: it would be refused only after the run. None repeats a secret. */
async function findForbidden(text: string): Promise<readonly string[]> {
  // Loaded where a plan is presented: no run waits for it before that.
  const { findSecrets } = await import('../text/secret-scan.ts');
  const { found } = await findSecrets(text);
  const secrets = found.map(
    ({ start, what }) =>
      `line ${text.slice(0, start).split('\n').length}: holds what looks like a ${what}; take it out and say where it comes from instead`,
  );
  const hidden = text.split('\n').flatMap((line, index) => {
    const characters = hiddenCharacters(index === 0 ? line.replace(/^\ufeff/, '') : line);
    const [first] = characters;
    return first === undefined ? [] : [`line ${index + 1}: holds ${nameOf(first)}, which nobody sees; leave it out`];
  });
  return [...secrets, ...hidden];
}

function nameOf(character: string): string {
  return `the character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

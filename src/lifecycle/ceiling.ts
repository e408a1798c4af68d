/** Whether anything may start at all: what a thread, and a repository in a day, may use is bounded. */
import { dayUses, formatAmount, keyOf, nearest, shareOf, threadUses, type Use } from './budget.ts';
import type { Memory } from './memory.ts';
import type { Budget, BudgetLevel, Ceiling, Policy } from './policy.ts';

/** Why nothing starts now, what was used and what to do: for people. `null` where something may. */
export function whyNothingStarts(memory: Memory, { budget }: Policy): string | null {
  if (memory.isPriceUnknown === true && priceCeiling(budget) !== null) {
    return `\`${priceCeiling(budget)}\` is set, and the price of the model is not known, so nothing starts. Who runs this app gives it in the file of \`PLANWRIGHT_PRICES_PATH\`; without that key it starts all the same.`;
  }
  const thread = reached(threadUses(memory, budget.thread));
  if (thread !== null) {
    return `The runs of this issue have used ${describe(thread, '')}, so nothing more starts. Nothing is lost: raising \`${keyOf('thread', thread.kind)}\` in \`.github/planwright.yml\` lets it go on, by itself; \`/cancel\` gives it up.`;
  }
  const day = reached(dayUses(memory, budget.day));
  if (day === null) return null;
  return `The runs of this repository have used ${describe(day, ' today')}, so nothing starts for now. Nothing is lost: it goes on by itself after 00:00 UTC, or once \`${keyOf('day', day.kind)}\` in \`.github/planwright.yml\` is raised.`;
}

/** The key of the first ceiling in dollars; `null` where there is none. */
export function priceCeiling(budget: Budget): string | null {
  const levels: readonly (readonly [BudgetLevel, Ceiling])[] = [
    ['run', budget],
    ['thread', budget.thread],
    ['day', budget.day],
  ];
  const found = levels.find(([, { maxDollars }]) => maxDollars !== null);
  return found === undefined ? null : keyOf(found[0], 'maxDollars');
}

function reached(uses: readonly Use[]): Use | null {
  const use = nearest(uses);
  return use !== null && shareOf(use) >= 1 ? use : null;
}

function describe({ kind, used, most }: Use, when: string): string {
  return `${formatAmount(kind, used)}${when}, and the ceiling is ${formatAmount(kind, most)}`;
}

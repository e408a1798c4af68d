/** What people read of costs and ceilings. Pure. */
import {
  dayUses,
  formatAmount,
  keyOf,
  nearest,
  shareOf,
  threadUses,
  type Use,
  type UsedCeilings,
  usesOf,
} from '../lifecycle/budget.ts';
import { estimateImplementation } from '../lifecycle/estimate.ts';
import type { Cost, Memory, Outcome, RunMemory } from '../lifecycle/memory.ts';
import { count } from '../lifecycle/phrases.ts';
import type { Budget, BudgetLevel, RunCeiling } from '../lifecycle/policy.ts';
import { cleanInline, type OutRules } from '../text/text-out.ts';

/** `null` before anything was used. */
export function costLine(cost: Cost): string | null {
  return cost.turns === 0 ? null : `Used so far: ${costText(cost)}.`;
}

function costText(cost: Cost): string {
  const number = (value: number) => value.toLocaleString('en-US');
  const price = cost.dollars === null ? 'price not known' : `about $${cost.dollars.toFixed(2)}`;
  return `${formatAmount('maxTurns', cost.turns)}, ${number(cost.inputTokens)} tokens in, ${number(cost.outputTokens)} tokens out, ${price}`;
}

/** How much of which ceiling is used, one sentence each; none where no ceiling is set. */
export function ceilingLines({ thread, day }: UsedCeilings): readonly string[] {
  return [
    ...(thread.length === 0 ? [] : [`Of what this issue may use: ${usesText(thread)}.`]),
    ...(day.length === 0 ? [] : [`Of what the repository may use today (UTC): ${usesText(day)}.`]),
  ];
}

function usesText(uses: readonly Use[]): string {
  return uses
    .map((use) => {
      const { kind, used, most } = use;
      return `${formatAmount(kind, used)} of ${formatAmount(kind, most)} (${Math.floor(100 * Math.min(1, shareOf(use)))} %)`;
    })
    .join(', ');
}

/** A run has reached a ceiling: what was used of what, that nothing is lost, and how it goes on. */
export function budgetReachedComment(
  { level, detail }: Extract<Outcome, { kind: 'budget_reached' }>,
  run: RunMemory,
  { memory, budget, rules }: { readonly memory: Memory; readonly budget: Budget | null; readonly rules: OutRules },
): string {
  const kept = run.phase === 'plan' ? 'what has been read, and the draft of the plan' : 'the changes and the checklist';
  const half = run.phase === 'plan' ? ' A plan that is not finished is not shown as one.' : '';
  return [
    `**The work has reached a ceiling and waits.** ${cleanInline(detail, rules, 500)}`,
    `This run has used ${costText(run.cost)}. Nothing is lost: ${kept} and the whole conversation are kept, and nothing of it was published.${half}`,
    howToGoOn(level, budget === null ? null : nearestOf(level, run, memory, budget)),
  ].join('\n\n');
}

function nearestOf(level: BudgetLevel, run: RunMemory, memory: Memory, budget: Budget): Use | null {
  switch (level) {
    case 'run':
      return nearest(usesOf(run.cost, budget));
    case 'thread':
      return nearest(threadUses(memory, budget.thread));
    case 'day':
      return nearest(dayUses(memory, budget.day));
  }
}

function howToGoOn(level: BudgetLevel, use: Use | null): string {
  const key = use === null ? 'the ceiling' : `\`${keyOf(level, use.kind)}\``;
  const used = use === null ? '' : ` (${usesText([use])})`;
  switch (level) {
    case 'run':
      return `\`/continue\` by a person with write access has it go on, with as much again as ${key} allows one run. \`/cancel\` gives it up.`;
    case 'thread':
      return `All runs of this issue together are at their ceiling${used}. It goes on once ${key} in \`.github/planwright.yml\` is raised and a person with write access says \`/continue\`. \`/cancel\` gives it up.`;
    case 'day':
      return `All runs of this repository together are at their ceiling for the day${used}. \`/continue\` by a person with write access has it go on when the day begins anew, at 00:00 UTC, or once ${key} in \`.github/planwright.yml\` is raised. \`/cancel\` gives it up.`;
  }
}

/** What a plan has cost, and what implementing it may: approving authorises the ceiling, and no more. */
export function planCostText(files: number | null, cost: Cost, most: RunCeiling): string {
  const spent = cost.turns === 0 ? [] : [`**Cost.** Writing this plan has used ${costText(cost)}.`];
  const ceilings = usesOf(cost, most).map(({ kind, most }) => formatAmount(kind, most));
  const estimate = files === null ? null : estimateImplementation(files, cost, most);
  const about =
    estimate === null
      ? []
      : [
          `By the plan's size (${count(estimate.files, 'file')}, at the cost of this plan's turns) it will be about ${formatAmount('maxTurns', estimate.turns)}, ${formatAmount('maxTokens', estimate.tokens)}, ${estimate.dollars === null ? 'price not known' : formatAmount('maxDollars', estimate.dollars)}: an estimate.`,
        ];
  return [
    ...spent,
    `Implementing it may use at most ${ceilings.join(', ')} in one run: approving authorises that, and no more.`,
    ...about,
  ].join(' ');
}

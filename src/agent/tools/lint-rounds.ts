/** What the plan lint finds goes back to the model to be mended, and after that to the reviewers. */
import type { RunState } from '../run-state.ts';

const MAX_LINT_ROUNDS = 2;
const MAX_FINDINGS = 50;

/** Those of the findings that are told: a plan can have any number of them. */
export function toldFindings(findings: readonly string[]): readonly string[] {
  return findings.slice(0, MAX_FINDINGS);
}

/** Counts one more round of mending; `false` where there is nothing to mend, or the plan has had its rounds. */
export function grantLintRound(state: RunState, findings: readonly string[]): boolean {
  if (findings.length === 0 || state.lintRounds >= MAX_LINT_ROUNDS) return false;
  state.lintRounds += 1;
  return true;
}

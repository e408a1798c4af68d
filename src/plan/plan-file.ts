/** The plan file: parsed and formatted as a pair. */
import { Document, isMap, isSeq } from 'yaml';
import { isNestedDeep } from '../text/deep-nesting.ts';
import { type FrontMatter, type PlanParts, parseFrontMatter, splitFrontMatter } from './front-matter.ts';
import { type PlanBody, type PlanSection, type PlanStep, parsePlanBody } from './plan-body.ts';
import { bodyExcess, longLine, maxLineCharacters } from './plan-excess.ts';

/** Below GitHub's limit of 65,536 characters for a comment, in which a plan may have to be shown. */
export const maxPlanCharacters = 65_000;

/** The sections of a plan, in their order. */
export const planSections = [
  'Context',
  'Approach',
  'Steps',
  'Existing code to reuse',
  'Verification',
  'Risks and open questions',
] as const;

export interface Plan extends FrontMatter {
  /** The first heading of level 1; `null` where there is none. */
  readonly title: string | null;
  /** Text before the first section, without the title. */
  readonly lead: string;
  readonly sections: readonly PlanSection[];
  /** The ordered list under "## Steps". */
  readonly steps: readonly PlanStep[];
}

/** Reads a plan file. Each problem names the line of the file and the key. */
export function parsePlan(text: string): { readonly plan: Plan } | { readonly problems: readonly string[] } {
  const excess = findExcess(text);
  if (excess !== null) return { problems: [excess] };
  const frontMatter = parseFrontMatter(text);
  const parts = splitFrontMatter(text);
  if ('problems' in frontMatter) return frontMatter;
  if (parts === null) return { problems: ['line 1: expected front matter between two "---" lines'] };
  const tooMuch = bodyExcess(parts.body);
  if (tooMuch !== null) return { problems: [`line ${parts.bodyLine}: ${tooMuch}`] };
  const body = readBody(
    parts,
    frontMatter.value.files.map((entry) => entry.path),
  );
  if (body === null) return { problems: [`line ${parts.bodyLine}: nested too deep; write it flat`] };
  return { plan: { ...frontMatter.value, ...body } };
}

/** `null` where the text is nested too deep to be read. */
function readBody(parts: PlanParts, files: readonly string[]): PlanBody | null {
  if (isNestedDeep(parts.body)) return null;
  try {
    return parsePlanBody(parts.body, parts.bodyLine, files);
  } catch (cause) {
    if (cause instanceof RangeError) return null;
    throw cause;
  }
}

function findExcess(text: string): string | null {
  if (text.length > maxPlanCharacters) {
    return `line 1: expected at most ${maxPlanCharacters} characters in the file, got ${text.length}; shorten the plan`;
  }
  const lines = text.split('\n');
  const long = longLine(lines);
  if (long === -1) return null;
  const got = `expected at most ${maxLineCharacters} characters in a line, got ${lines[long]?.length}`;
  return `line ${long + 1}: ${got}; write one sentence a line`;
}

/** What a plan file is made of; the rest of `Plan` is read from it. */
export interface PlanContent extends FrontMatter {
  readonly title: string | null;
  readonly lead: string;
  readonly sections: readonly Pick<PlanSection, 'heading' | 'text'>[];
}

/** The text of a plan file, ending with a line break. */
export function formatPlan(plan: PlanContent): string {
  const title = plan.title === null ? [] : [`# ${plan.title}`];
  const lead = plan.lead === '' ? [] : [plan.lead];
  const sections = plan.sections.flatMap((section) =>
    [`## ${section.heading}`, section.text].filter((part) => part !== ''),
  );
  return `${formatFrontMatter(plan)}${[...title, ...lead, ...sections].join('\n\n')}\n`;
}

function formatFrontMatter({ issue, base, files, verify }: FrontMatter): string {
  const document = new Document({ issue, base, files, verify });
  const entries = document.get('files');
  for (const entry of isSeq(entries) ? entries.items : []) {
    if (isMap(entry)) entry.flow = true;
  }
  return `---\n${document.toString({ lineWidth: 0 })}---\n`;
}

const emptyPlanText = 'No plan written yet';

/** The placeholder that stands in for a plan the agent left without having written one. */
export function emptyPlan(issue: number, base: string): string {
  const lead = `${emptyPlanText}. Request changes to have one written, or close this pull request.`;
  return formatPlan({ issue, base, files: [], verify: [], title: null, lead, sections: [] });
}

/** True for the placeholder, however it was edited after its first words, and for a text without any plan in it. */
export function isEmptyPlan(text: string): boolean {
  const body = (splitFrontMatter(text)?.body ?? text).trim();
  return body === '' || body.startsWith(emptyPlanText);
}

/** The front matter of a plan file: what a machine reads of it. */
import { z } from 'zod';
import type { ScopeEntry } from '../lifecycle/facts.ts';
import { hiddenCharacters } from '../text/hidden-characters.ts';
import { type Checked, parseCheckedYaml } from './checked-yaml.ts';
import { repositoryPathPattern, repositoryPathRule } from './repository-path.ts';

export interface FrontMatter {
  readonly issue: number;
  /** The commit that the plan was written against. */
  readonly base: string;
  readonly files: readonly ScopeEntry[];
  /** Shell commands that show that the work is done, one an entry. */
  readonly verify: readonly string[];
}

const scopeEntrySchema = z.strictObject({
  path: z
    .string()
    .regex(repositoryPathPattern, repositoryPathRule)
    .refine(isSeen, 'a path whose characters can all be seen')
    .describe('A file, from the root of the repository.'),
  change: z
    .enum(['create', 'modify', 'delete', 'move'])
    .describe(
      'What happens to the file. A file that moves is named twice, with its old and its new path, both "move".',
    ),
});

const frontMatterSchema = z.strictObject({
  issue: z.int().min(1).describe('The number of the issue that asks for the plan.'),
  base: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/, 'a commit id, quoted if it is all digits')
    .describe('The commit that the plan was written against.'),
  files: z
    .array(scopeEntrySchema)
    .max(1000)
    .refine(hasDistinctPaths, 'each path once')
    .describe('Every file that the work creates, modifies, deletes or moves, and no other.'),
  verify: z
    .array(
      z
        .string()
        .max(1000)
        .regex(/^[^\n\r]*\S[^\n\r]*$/, 'a command in one line')
        .refine(isSeen, 'a command whose characters can all be seen'),
    )
    .max(20)
    .describe(
      'Commands that show that the work is done. They run after the implementation, from the root of the repository.',
    ),
});

/** YAML can write what nobody sees in letters that everybody sees: what is run or changed is to be what is read. */
function isSeen(text: string): boolean {
  return text.isWellFormed() && !/[^\P{Cc}\t\n\r]/u.test(text) && hiddenCharacters(text).length === 0;
}

function hasDistinctPaths(entries: readonly ScopeEntry[]): boolean {
  return new Set(entries.map((entry) => entry.path)).size === entries.length;
}

/** A plan file cut into its front matter and the rest. */
export interface PlanParts {
  readonly yaml: string;
  readonly body: string;
  /** 1-based line of the file on which the body begins. */
  readonly bodyLine: number;
}

/** `null` where the text does not begin with a `---` line that a later one closes. Line ends become `\n`. */
export function splitFrontMatter(text: string): PlanParts | null {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split('\n');
  if (lines[0]?.trimEnd() !== '---') return null;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end === -1) return null;
  return { yaml: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n'), bodyLine: end + 2 };
}

/** The front matter of a plan file's text. Each problem names line and key. */
export function parseFrontMatter(text: string): Checked<FrontMatter> {
  const parts = splitFrontMatter(text);
  if (parts === null) {
    return { problems: ['line 1: expected front matter between two "---" lines, got none; begin the file with it'] };
  }
  return parseCheckedYaml(parts.yaml, frontMatterSchema, 2);
}

/** The published JSON Schema of the front matter; `front-matter.schema.json` holds the same. */
export function frontMatterJsonSchema(): object {
  return {
    title: 'Front matter of a Planwright plan file',
    ...z.toJSONSchema(frontMatterSchema, { io: 'input' }),
  };
}

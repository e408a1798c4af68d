/** The files by which a repository tells agents how it wants to be worked on: from the base commit alone, as text. */
import type { InstructionFile } from '../agent/brief.ts';
import type { NamedFile, RepositoryRef, Workspaces } from '../workspace/workspace.ts';

const instructionNames = ['AGENTS.md', 'CLAUDE.md'] as const;

/** Most characters of one file of the root, and of all nested ones together. */
const maxRootCharacters = 32 * 1024;
const maxNestedCharacters = 32 * 1024;

/** @throws {WorkspaceError} */
export async function readInstructions(
  workspaces: Pick<Workspaces, 'filesNamed'>,
  repository: RepositoryRef,
  base: string,
): Promise<readonly InstructionFile[]> {
  return selectInstructions(await workspaces.filesNamed(repository, base, instructionNames));
}

/** The paths of those that a run is given, or is told of. @throws {WorkspaceError} */
export async function instructionPaths(...place: Parameters<typeof readInstructions>): Promise<readonly string[]> {
  return (await readInstructions(...place)).map(({ path }) => path);
}

/**
 * Those of the root up to their limit, then the nested ones that fit whole into theirs, outermost first, and of the rest
 * the paths. One that says the same as another in its folder, or nothing, is left out.
 * @param files outermost first
 */
export function selectInstructions(files: readonly NamedFile[]): readonly InstructionFile[] {
  let room = maxNestedCharacters;
  const seen = new Set<string>();
  return files.flatMap(({ path, text }): readonly InstructionFile[] => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    if (text === null) return [{ path, text: '', restFrom: 1 }];
    const said = `${folder}\0${text.trim()}`;
    if (text.trim() === '' || seen.has(said)) return [];
    seen.add(said);
    if (folder === '') return [cut(path, text)];
    if (text.length > room) return [{ path, text: '', restFrom: 1 }];
    room -= text.length;
    return [{ path, text }];
  });
}

/** The whole lines that fit; of a first line that does not, its beginning. */
function cut(path: string, text: string): InstructionFile {
  if (text.length <= maxRootCharacters) return { path, text };
  const end = text.lastIndexOf('\n', maxRootCharacters);
  const part = text.slice(0, end === -1 ? maxRootCharacters : end);
  return { path, text: part, restFrom: end === -1 ? 1 : part.split('\n').length + 1 };
}

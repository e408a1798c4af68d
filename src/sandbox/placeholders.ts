/**
 * Makes what is not there something that can be held: only what exists can be mounted over. An empty folder is put in its
 * place while a command runs, whatever the name would suggest. Git does not see one, whoever copies or packs a tree copies
 * nothing with it, and one that a killed run leaves behind changes nothing.
 */
import { mkdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';

export interface Placeholders {
  /** Puts them there; the calls are counted. */
  hold(): void;
  /** Takes them away with the last call. */
  release(): void;
}

/** Folders that had to be made for `place`, innermost first. */
function make(place: string): readonly string[] {
  let first: string | undefined;
  try {
    first = mkdirSync(place, { recursive: true });
  } catch {
    // It is there, or a file is where its folder would be: then nothing can be made beneath.
    return [];
  }
  if (first === undefined) return [];
  const made = [place];
  for (let folder = place; folder !== first; folder = path.dirname(folder)) made.push(path.dirname(folder));
  return made;
}

export function createPlaceholders(root: string, names: readonly string[]): Placeholders {
  let made: readonly string[] = [];
  let holders = 0;
  const remove = (): void => {
    for (const folder of made) {
      try {
        rmdirSync(folder);
      } catch {
        // Somebody has put something in it, which is theirs.
      }
    }
    made = [];
  };
  // A run that is told to stop ends in the middle of a command.
  process.once('exit', remove);
  return {
    hold: () => {
      holders += 1;
      made = [...made, ...names.flatMap((name) => make(path.join(root, name)))];
    },
    release: () => {
      holders -= 1;
      if (holders === 0) remove();
    },
  };
}

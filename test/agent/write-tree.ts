/** Puts files into a folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

export async function writeTree(root: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
}

/** One operation at a time on each mirror, which is opened before its first. */
import { mkdir, writeFile } from 'node:fs/promises';
import PQueue from 'p-queue';
import { reportingDisk } from './disk-failure.ts';
import { hostConfig } from './git-settings.ts';
import { type Layout, mirrorFolder } from './layout.ts';
import type { RepositoryRef } from './workspace.ts';

export type InMirror = <T>(repository: RepositoryRef, act: (gitDir: string) => Promise<T>) => Promise<T>;

/** @param open makes or mends the mirror in a folder; called again after it has failed. */
export function queueMirrors(open: (folder: string) => Promise<void>, layout: Layout): InMirror {
  const mirrors = new Map<number, { readonly queue: PQueue; isOpen: boolean }>();
  return async (repository, act) => {
    const folder = mirrorFolder(layout, repository.id);
    const mirror = mirrors.get(repository.id) ?? { queue: new PQueue({ concurrency: 1 }), isOpen: false };
    mirrors.set(repository.id, mirror);
    const work = async () => {
      if (!mirror.isOpen) {
        await makeFolders(layout);
        await open(folder);
        mirror.isOpen = true;
      }
      return act(folder);
    };
    return mirror.queue.add(() => reportingDisk(work));
  };
}

async function makeFolders(layout: Layout): Promise<void> {
  for (const folder of [layout.home, layout.mirrors, layout.runs, layout.indexes]) {
    await mkdir(folder, { recursive: true });
  }
  await writeFile(layout.configFile, hostConfig);
}

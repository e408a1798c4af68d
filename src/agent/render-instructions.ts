import type { InstructionFile } from './brief.ts';
import { fence, oneLine } from './quote-text.ts';

/** Most files that are named without their text. */
const mostNamed = 100;

/** The instructions of a repository: a file's text as data, and where the rest of it is; then those that are only named. */
export function renderInstructions(files: readonly InstructionFile[]): readonly string[] {
  const given = files.filter(({ text }) => text !== '');
  const named = files.filter(({ text }) => text === '').map(({ path }) => `- ${oneLine(path)}`);
  const more = named.length > mostNamed ? [`- and ${named.length - mostNamed} more: find them with glob`] : [];
  const list = [...named.slice(0, mostNamed), ...more];
  return [
    ...given.map(renderFile),
    ...(list.length === 0
      ? []
      : [
          `More files of this kind, not given here for their length. Read one before you plan or make changes in its folder or below it:\n${list.join('\n')}`,
        ]),
  ];
}

function renderFile({ path, text, restFrom }: InstructionFile): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const what = `the file ${path} of the base commit${folder === '' ? '' : `, for what is below ${folder}`}`;
  const rest = restFrom === undefined ? '' : `\n${oneLine(path)} goes on: read it from line ${restFrom}.`;
  return `${fence(what, text)}${rest}`;
}

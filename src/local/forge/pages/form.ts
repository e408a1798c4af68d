/** What forms send, read without trust. */
import type { Context } from 'hono';
import { ForgeError } from '../forge-error.ts';

/** The fields of a form, by name; a file or a repeated field counts as absent. */
export type Form = Readonly<Record<string, string>>;

export async function readForm(context: Context): Promise<Form> {
  const parsed = await context.req.parseBody();
  const fields = Object.entries(parsed).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value.replaceAll('\r\n', '\n')] as const] : [],
  );
  return Object.fromEntries(fields);
}

export function field(form: Form, name: string): string {
  return form[name] ?? '';
}

/** @throws {ForgeError} 422 where the field is none of the choices */
export function choice<Choice extends string>(form: Form, name: string, choices: readonly Choice[]): Choice {
  const chosen = choices.find((each) => each === form[name]);
  if (chosen === undefined) {
    throw new ForgeError(422, `expected ${name} to be one of ${choices.join(', ')}, got “${field(form, name)}”`);
  }
  return chosen;
}

/** A line number, or `null` for an empty field. @throws {ForgeError} 422 */
export function lineNumber(form: Form, name: string): number | null {
  const text = field(form, name).trim();
  if (text === '') return null;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ForgeError(422, `expected ${name} to be a line number, got “${text}”`);
}

/** A path of these pages to return to, and never another site. */
export function backPath(form: Form, fallback: string): string {
  const origin = 'http://pages.invalid';
  const back = field(form, 'back');
  if (!back.startsWith('/') || !URL.canParse(back, origin)) return fallback;
  const url = new URL(back, origin);
  return url.origin === origin ? `${url.pathname}${url.search}` : fallback;
}

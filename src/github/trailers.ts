/** The trailers of this app's commits, and the signature that makes a commit this app's. */
import type { CommitTrailers } from '../lifecycle/facts.ts';
import type { Approval } from '../lifecycle/memory.ts';
import type { AppKey } from './app-key.ts';
import { formatReceipt, readReceipt, type SignedReceipt } from './receipt.ts';

/**
 * What a signature covers beside the message: a commit of the same tree elsewhere, or on other parents, is another one.
 * On another branch, of another thread or attempt, a commit of this app's says nothing.
 */
export interface CommitPlace {
  /** The repository's id. */
  readonly repository: number;
  /** The branch that it was made for. */
  readonly branch: string;
  /** Git's id of the commit's tree. */
  readonly tree: string;
  /** In their order. */
  readonly parents: readonly string[];
}

export interface CommitMessage {
  readonly subject: string;
  /** The login of who asked for the plan; for readers alone. */
  readonly requester?: string | null;
  readonly trailers: CommitTrailers;
}

/** A commit message of this app: subject, trailers, and as the last of them the signature over all of it and its place. */
export function formatCommitMessage(
  { subject, requester = null, trailers }: CommitMessage,
  place: CommitPlace,
  key: AppKey,
): string {
  const unsigned = `${subject}\n\n${formatTrailers(trailers, requester, key)}`;
  return `${unsigned}\nPlanwright-Signature: ${key.sign(signedText(unsigned, place))}\n`;
}

/**
 * `none`: the message makes no claim to be this app's. `broken`: it does, and this app has not signed this message at this
 * place, or has not signed it at all.
 */
export function readSignature(message: string, place: CommitPlace, key: AppKey): 'holds' | 'broken' | 'none' {
  const match = signatureLine.exec(message.trimEnd());
  if (match?.[1] === undefined || match[2] === undefined) return /^Planwright-/m.test(message) ? 'broken' : 'none';
  return key.holds(signedText(match[1], place), match[2]) ? 'holds' : 'broken';
}

/** The trailers of a commit that bears this app's signature; `null` for every other commit, whoever it names as author. */
export function readSignedTrailers(message: string, place: CommitPlace, key: AppKey): CommitTrailers | null {
  return readSignature(message, place, key) === 'holds' ? parseTrailers(message, key) : null;
}

const signatureLine = /^([\s\S]*)\nPlanwright-Signature: (\S+)$/;

/** The bytes that are signed. Nothing else that the app's key signs begins like them. */
function signedText(unsigned: string, { repository, branch, tree, parents }: CommitPlace): string {
  const head = [
    'planwright commit',
    `repository ${repository}`,
    `branch ${branch}`,
    `tree ${tree}`,
    ...parents.map((id) => `parent ${id}`),
  ];
  return `${head.join('\n')}\n\n${unsigned}`;
}

/** The trailers of a commit message, one a line, in a fixed order; to stand as the message's last paragraph. */
function formatTrailers(trailers: CommitTrailers, requester: string | null, key: AppKey): string {
  return [
    `Planwright-Phase: ${trailers.phase}`,
    `Planwright-Run: ${trailers.run}`,
    `Planwright-Base: ${trailers.base}`,
    ...(trailers.plan === null ? [] : [`Planwright-Plan: ${trailers.plan}`]),
    ...(trailers.reviews.length === 0 ? [] : [`Planwright-Review: ${trailers.reviews.join(', ')}`]),
    ...(requester === null || /\s/.test(requester) ? [] : [`Planwright-Requested-By: ${requester}`]),
    ...trailers.approvedBy.map(({ login, commit }) => `Planwright-Approved-By: ${login} at ${commit}`),
    ...(trailers.receipt === null ? [] : formatReceiptTrailers(trailers.receipt, key)),
  ].join('\n');
}

function formatReceiptTrailers(approval: Approval, key: AppKey): readonly string[] {
  const receipt = formatReceipt(approval);
  return [`Planwright-Receipt: ${receipt}`, `Planwright-Receipt-Signature: ${key.sign(receipt)}`];
}

/**
 * The trailers in the last paragraph of a commit message.
 * @returns `null` unless phase, run and base are there once each, and every trailer can be read.
 */
function parseTrailers(message: string, key: AppKey): CommitTrailers | null {
  const shown = shownReceipt(message);
  return readTrailers(valuesOf(message), shown === null ? null : readReceipt(shown, key));
}

type Values = ReadonlyMap<string, readonly string[]>;

function valuesOf(message: string): Values {
  const paragraphs = message.trimEnd().split(/\n{2,}/);
  const values = new Map<string, string[]>();
  for (const line of (paragraphs.at(-1) ?? '').split('\n')) {
    const match = /^Planwright-([A-Za-z-]+): (.*)$/.exec(line.trimEnd());
    if (match?.[1] === undefined || match[2] === undefined) continue;
    values.set(match[1], [...(values.get(match[1]) ?? []), match[2]]);
  }
  return values;
}

function readTrailers(values: Values, receipt: Approval | null): CommitTrailers | null {
  const phase = only(values.get('Phase'));
  const run = only(values.get('Run'));
  const base = only(values.get('Base'));
  const plans = values.get('Plan') ?? [];
  const reviews = (values.get('Review') ?? []).flatMap((value) => value.split(/,\s*/)).map(readId);
  const approvedBy = (values.get('Approved-By') ?? []).map(readApprover);
  if ((phase !== 'plan' && phase !== 'implement') || run === null || base === null) return null;
  if (!isObjectId(base) || plans.length > 1 || plans.some((plan) => !isObjectId(plan))) return null;
  if (reviews.includes(null) || approvedBy.includes(null)) return null;
  return {
    phase,
    run,
    base,
    plan: plans[0] ?? null,
    reviews: reviews.filter((review) => review !== null),
    approvedBy: approvedBy.filter((approver) => approver !== null),
    receipt,
  };
}

/** The receipt that a commit message shows, unverified. */
export function shownReceipt(message: string): SignedReceipt | null {
  const values = valuesOf(message);
  const receipt = only(values.get('Receipt'));
  const signature = only(values.get('Receipt-Signature'));
  return receipt === null || signature === null ? null : { receipt, signature };
}

function only(values: readonly string[] | undefined): string | null {
  const [value] = values ?? [];
  return values?.length === 1 && value !== undefined && value !== '' ? value : null;
}

function readId(value: string): number | null {
  return /^[1-9]\d{0,15}$/.test(value) ? Number(value) : null;
}

function readApprover(value: string): { login: string; commit: string } | null {
  const match = /^(\S+) at (\S+)$/.exec(value);
  if (match?.[1] === undefined || match[2] === undefined || !isObjectId(match[2])) return null;
  return { login: match[1], commit: match[2] };
}

/** A whole object id, SHA-1 or SHA-256. */
function isObjectId(value: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
}

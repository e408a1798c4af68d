/** GitHub's global node ids: a readable prefix, then the kind's database id in opaque form. */
const PREFIXES = {
  user: 'U',
  bot: 'BOT',
  organization: 'O',
  app: 'A',
  installation: 'INS',
  repository: 'R',
  label: 'LA',
  issue: 'I',
  issueComment: 'IC',
  pullRequest: 'PR',
  review: 'PRR',
  reviewThread: 'PRRT',
  reviewComment: 'PRRC',
  reaction: 'REA',
  checkRun: 'CR',
  checkSuite: 'CS',
  event: 'EV',
  contentEdit: 'UCE',
  ref: 'REF',
  commit: 'C',
  tree: 'T',
  blob: 'B',
} as const;

export type NodeKind = keyof typeof PREFIXES;

const KINDS = new Map<string, NodeKind>();
for (const kind of Object.keys(PREFIXES).filter(isNodeKind)) KINDS.set(PREFIXES[kind], kind);

function isNodeKind(word: string): word is NodeKind {
  return word in PREFIXES;
}

/** `id` is the kind's database id, or for git objects `REPOSITORY_ID:SHA` or `REPOSITORY_ID:REF`. */
export function nodeId(kind: NodeKind, id: number | string): string {
  return `${PREFIXES[kind]}_${Buffer.from(String(id)).toString('base64url')}`;
}

/** `null` for whatever `nodeId` does not make. */
export function parseNodeId(text: string): { readonly kind: NodeKind; readonly id: string } | null {
  const [prefix, code] = text.split('_', 2);
  const kind = KINDS.get(prefix ?? '');
  if (kind === undefined || code === undefined) return null;
  const id = Buffer.from(text.slice(text.indexOf('_') + 1), 'base64url').toString();
  return id !== '' && nodeId(kind, id) === text ? { kind, id } : null;
}

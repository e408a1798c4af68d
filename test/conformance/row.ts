/** One behaviour of plan mode that is described elsewhere, and what becomes of it here. */
import type { Proof } from '../requirements/proof.ts';

export interface Row {
  readonly kind: 'state' | 'transition' | 'tool' | 'rule' | 'reminder' | 'outcome' | 'key' | 'alias' | 'edge case';
  /** What the document describes. */
  readonly there: string;
  readonly here: string;
  /** Present exactly where Planwright differs on purpose. */
  readonly why?: string;
  readonly proofs: readonly Proof[];
}

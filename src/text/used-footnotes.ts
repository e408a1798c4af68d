/** A footnote is shown where a text that is shown refers to it; its own text does not count. */
import { footnoteReferenceTag, footnoteTag } from './markdown-html.ts';
import type { VisibleNode } from './visible-tree.ts';

/** The labels of the footnotes that are shown. */
export function usedFootnotes(nodes: readonly VisibleNode[]): Set<string> {
  const footnotes = new Map<string, readonly VisibleNode[]>();
  const used = new Set<string>();
  const visit = (node: VisibleNode): void => {
    if (typeof node === 'string' || /^(?:code|pre|tt)$/.test(node.tag)) return;
    const label = node.attributes.get('title') ?? '';
    if (node.tag === footnoteReferenceTag) used.add(label);
    if (node.tag !== footnoteTag) for (const child of node.children) visit(child);
    else if (!footnotes.has(label)) footnotes.set(label, node.children);
  };
  for (const node of nodes) visit(node);
  // A footnote that is found late may be referred to by one that comes before it: a set goes on with what is added to it.
  for (const label of used) {
    for (const child of footnotes.get(label) ?? []) visit(child);
  }
  return used;
}

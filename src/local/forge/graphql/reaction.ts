import type { Reaction, Repository } from '../state.ts';
import { actorSource, userSource } from './account.ts';
import { connection } from './connection.ts';
import type { Args, Info, Source } from './source.ts';
import { isViewer, requireRead, type View } from './view.ts';

/** REST's word for each of GraphQL's. */
export const REACTION_WORDS: Readonly<Record<string, string>> = {
  THUMBS_UP: '+1',
  THUMBS_DOWN: '-1',
  LAUGH: 'laugh',
  HOORAY: 'hooray',
  CONFUSED: 'confused',
  HEART: 'heart',
  ROCKET: 'rocket',
  EYES: 'eyes',
};

/** What reactions are on. */
export interface Reactable {
  readonly reactions: readonly Reaction[];
}

/** `reactions` and `reactionGroups` of anything that takes reactions; GitHub lists every group, empty ones too. */
export function reactionFields(view: View, repository: Repository, on: Reactable, subject: () => Source) {
  const withContent = (content: unknown): readonly Reaction[] =>
    on.reactions.filter((each) => each.content === REACTION_WORDS[String(content)]);
  return {
    reactions: (args: Args, info: Info) => {
      requireRead(view, repository, 'conversation');
      const items = typeof args.content === 'string' ? withContent(args.content) : on.reactions;
      return connection(args, info, {
        items,
        keyOf: (reaction) => reaction.id,
        present: (reaction) => reactionSource(view, reaction, subject),
        extra: { viewerHasReacted: items.some((each) => isViewer(view, each.user)) },
      });
    },
    reactionGroups: () =>
      Object.keys(REACTION_WORDS).map((content) => reactionGroup(view, content, withContent(content), subject)),
  };
}

export function reactionSource(view: View, reaction: Reaction, subject: () => Source): Source {
  const content = Object.keys(REACTION_WORDS).find((key) => REACTION_WORDS[key] === reaction.content) ?? 'EYES';
  return {
    __typename: 'Reaction',
    id: reaction.nodeId,
    databaseId: reaction.id,
    content,
    createdAt: reaction.createdAt,
    user: () => userSource(view, reaction.user),
    reactable: subject,
  };
}

function reactionGroup(view: View, content: string, reactions: readonly Reaction[], subject: () => Source): Source {
  const people = (args: Args, info: Info, present: typeof actorSource) =>
    connection(args, info, {
      items: reactions,
      keyOf: (reaction) => reaction.id,
      present: (reaction) => present(view, reaction.user),
    });
  return {
    __typename: 'ReactionGroup',
    content,
    createdAt: reactions[0]?.createdAt ?? null,
    subject,
    viewerHasReacted: reactions.some((each) => isViewer(view, each.user)),
    reactors: (args, info) => people(args, info, actorSource),
    users: (args, info) => people(args, info, userSource),
  };
}

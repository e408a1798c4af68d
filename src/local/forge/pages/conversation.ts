/** What issues and pull requests show alike: the opening text, what happened since, labels, and the box to comment. */
import { html } from 'hono/html';
import { type Actor, hasRole } from '../access.ts';
import { fullName } from '../lookup.ts';
import type { Issue, IssueComment, Label, Repository, Review, TimelineEvent } from '../state.ts';
import { author, badge, type Html, prose, time } from './layout.ts';

export interface ThreadView {
  readonly repository: Repository;
  readonly issue: Issue;
  readonly visitor: Actor | null;
}

interface Item {
  readonly at: string;
  readonly show: () => Html;
}

export function conversation(view: ThreadView): Html {
  const { issue } = view;
  const reviews = (issue.pullRequest?.reviews ?? []).filter((review) => review.state !== 'PENDING');
  const items: readonly Item[] = [
    ...issue.comments.map((comment) => ({ at: comment.createdAt, show: () => commentBox(comment) })),
    ...reviews.map((review) => ({ at: review.submittedAt ?? '', show: () => reviewBox(issue, review) })),
    ...issue.timeline.map((event) => ({ at: event.createdAt, show: () => eventLine(event) })),
  ];
  return html`<article class="box"><header>${author(issue.author)} opened this ${time(issue.createdAt)}</header>${prose(issue.body)}${reactions(issue.reactions)}</article>
${items.toSorted((one, other) => one.at.localeCompare(other.at)).map((item) => item.show())}
${commentForm(view)}`;
}

function commentBox(comment: IssueComment): Html {
  const edited = comment.lastEditedAt === null ? '' : ' (edited)';
  return html`<article class="box" id="issuecomment-${comment.id}"><header>${author(comment.author)} ${time(comment.createdAt)}${edited}</header>
${prose(comment.body)}${reactions(comment.reactions)}</article>`;
}

function reactions(list: Issue['reactions']): Html | string {
  if (list.length === 0) return '';
  return html`<p class="faint">Reactions: ${list.map(({ content, user }) => `${content} by ${user.login}`).join(', ')}</p>`;
}

const VERDICTS: Readonly<Record<Review['state'], string>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'requested changes',
  COMMENTED: 'commented',
  DISMISSED: 'reviewed; the review was dismissed',
  PENDING: 'has not submitted',
};

function reviewBox(issue: Issue, review: Review): Html {
  const threads = issue.pullRequest?.threads ?? [];
  const comments = threads.flatMap((thread) =>
    thread.comments.filter((each) => each.reviewId === review.id).map((comment) => ({ thread, comment })),
  );
  const head = issue.pullRequest?.headSha;
  const older = review.commit === head ? '' : html` <span class="faint">(an older commit)</span>`;
  return html`<article class="box" id="pullrequestreview-${review.id}"><header>${author(review.author)} ${badge(review.state.toLowerCase(), VERDICTS[review.state])}
${review.commit === null ? '' : html`at <code>${review.commit.slice(0, 7)}</code>${older}`} ${time(review.submittedAt)}</header>
${review.body.trim() === '' ? '' : prose(review.body)}
${comments.map(({ thread, comment }) => html`<p class="faint"><code>${thread.path}${thread.originalLine === null ? '' : `:${thread.originalLine}`}</code></p>${prose(comment.body)}`)}
</article>`;
}

function eventLine(event: TimelineEvent): Html {
  return html`<p class="event">${author(event.actor)} ${describe(event)} ${time(event.createdAt)}</p>`;
}

function describe(event: TimelineEvent): Html | string {
  switch (event.kind) {
    case 'labeled':
      return html`added ${badge('label', event.label)}`;
    case 'unlabeled':
      return html`removed ${badge('label', event.label)}`;
    case 'ready_for_review':
      return 'marked this as ready for review';
    case 'converted_to_draft':
      return 'made this a draft';
    case 'merged':
      return html`merged <code>${event.commit.slice(0, 7)}</code>`;
    case 'base_ref_changed':
      return `changed the base branch from ${event.from} to ${event.to}`;
    case 'head_ref_force_pushed':
      return html`force-pushed from <code>${event.before.slice(0, 7)}</code> to <code>${event.after.slice(0, 7)}</code>`;
    case 'review_dismissed':
      return html`dismissed a review: ${event.message}`;
    case 'review_requested':
      return html`asked ${author(event.reviewer)} for a review`;
    case 'renamed':
      return `changed the title from “${event.from}” to “${event.to}”`;
    case 'closed':
    case 'reopened':
    case 'locked':
    case 'unlocked':
      return `${event.kind} this`;
  }
}

function commentForm({ repository, issue, visitor }: ThreadView): Html {
  if (visitor === null) return html`<p class="faint">Choose who you are to comment.</p>`;
  const path = `/${fullName(repository)}/issues/${issue.number}`;
  const merged = issue.pullRequest?.merged === true;
  const next = issue.state === 'open' ? 'closed' : 'open';
  return html`<form class="stack box" method="post" action="${path}/comments">
<label for="comment">Comment</label>
<textarea id="comment" name="body" rows="5" required></textarea>
<div><button class="primary">Comment</button></div>
</form>
${merged ? '' : html`<form method="post" action="${path}/state"><button name="state" value="${next}">${next === 'closed' ? 'Close' : 'Reopen'}</button></form>`}`;
}

/** One button a label: pressed is on. */
export function labelPanel({ repository, issue, visitor }: ThreadView): Html {
  const mayLabel = visitor?.kind === 'person' && hasRole(repository, visitor.account, 'triage');
  if (!mayLabel) {
    return html`<section aria-label="Labels"><h2>Labels</h2><p>${issue.labels.length === 0 ? 'None.' : issue.labels.map((name) => badge('label', name))}</p></section>`;
  }
  const toggle = ({ name }: Label): Html => {
    const isOn = issue.labels.includes(name);
    return html`<button name="${isOn ? 'remove' : 'add'}" value="${name}" aria-pressed="${String(isOn)}">${name}</button> `;
  };
  const action = `/${fullName(repository)}/issues/${issue.number}/labels`;
  return html`<section aria-label="Labels"><h2>Labels</h2>
<form class="labels" method="post" action="${action}">${repository.labels.map(toggle)}</form>
<form class="inline" method="post" action="${action}"><label for="new-label">Another label</label>
<input id="new-label" name="add" required maxlength="50"><button>Add</button></form></section>`;
}

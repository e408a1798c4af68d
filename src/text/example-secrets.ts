/** What examples and tests write where a secret would stand: with these, a plan or a commit is none the worse. */

/** So few characters beside what is repeated are no secret, nor a part of one that could be completed. */
const fewCharacters = 24;

const words = /^(?:gh[opsur]_|github_pat_|sk-ant-(?:[a-z]+\d*-)?)[a-z]{1,14}(?:[_-][a-z]{1,14}){2,}$/;
const credentials =
  /^[a-z][a-z\d+.-]*:\/\/[^\s:@/]*:(?:<[\w -]*>|\$\{?\w+\}?|\{\{?[ \w.]*\}?\}|(?:my|your|some|the)?[_-]?(?:pass(?:word|wd)?|pwd|token|secret)|change_?me|x{3,}|\*{3,}|\.{3})@[^@]*$/i;

/** Whether what has the form of a secret is none: one character again and again, words, or the word for a password. */
export function isExampleSecret(found: string): boolean {
  const rest = found.replace(/([A-Za-z\d*.])\1{7,}/g, '');
  return (rest !== found && rest.length < fewCharacters) || words.test(found) || credentials.test(found);
}

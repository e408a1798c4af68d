/** Lines for people, with one live line under them on a terminal. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Screen {
  /** Text as it is, in one line or several. */
  print(text: string): void;
  /** One event with its time since the start. */
  event(topic: string, text: string): void;
  /** What is going on now: replaces the live line on a terminal, and is left out elsewhere. */
  progress(text: string): void;
  /** Takes the live line away. */
  settle(): void;
  /** Seconds since the screen was made. */
  seconds(): number;
}

const frames = ['⠋', '⠙', '⠸', '⠴', '⠦', '⠇'] as const;
const eraseLine = '\r\u001b[2K';
const topicWidth = 13;

/** Control characters in texts are shown as replacement characters. `clock` gives milliseconds. */
export function createScreen(out: Output, clock: () => number = () => performance.now()): Screen {
  const start = clock();
  let frame = 0;
  let isLive = false;
  const seconds = () => (clock() - start) / 1000;
  const stamp = () => `${seconds().toFixed(1).padStart(6)} s`;
  const settle = () => {
    if (isLive) out.write(eraseLine);
    isLive = false;
  };
  const print = (text: string) => {
    settle();
    for (const each of text.split('\n')) out.write(`${printable(each)}\n`);
  };
  return {
    print,
    settle,
    seconds,
    event: (topic, text) => print(`${stamp()}  ${topic.padEnd(topicWidth)} ${text}`),
    progress(text) {
      if (out.isTTY !== true) return;
      frame += 1;
      const line = printable(`${stamp()}  ${frames[frame % frames.length]} ${text}`);
      out.write(`${eraseLine}${line.slice(0, (out.columns ?? 80) - 1)}`);
      isLive = true;
    },
  };
}

/** Text of a forge may hold anything; a terminal would obey control characters. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '�');
}

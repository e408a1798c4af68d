import type { Patience } from './run-protocol.ts';

const LONGEST_END = 256;

// An event's name stands on a line of its own, and no JSON text has such a line.
const eventName = /^event: ?(\w+)\r?$/gm;
const completeMessage = /^event: ?message_stop\r?\n(?:.+\n)*\r?\n/m;

interface Watch {
  /** Tells what has come; `true` once the message is complete. */
  seen(chunk: Uint8Array): boolean;
  end(): void;
}

function startWatch(patience: Patience, giveUp: (why: string) => void): Watch {
  const decoder = new TextDecoder();
  let rest = '';
  const silent = setTimeout(() => giveUp(`no byte came for ${patience.silentMs} ms`), patience.silentMs);
  const pings = setTimeout(() => giveUp(`nothing but pings came for ${patience.pingOnlyMs} ms`), patience.pingOnlyMs);
  return {
    seen: (chunk) => {
      silent.refresh();
      const text = rest + decoder.decode(chunk, { stream: true });
      const names = [...text.matchAll(eventName)].map((match) => match[1]);
      if (names.some((name) => name !== 'ping')) pings.refresh();
      // From the last event on, which may be incomplete; a long one is no end of a message.
      const last = text.lastIndexOf('\nevent:');
      rest = text.slice(Math.max(last, text.length - LONGEST_END));
      return completeMessage.test(text);
    },
    end: () => {
      clearTimeout(silent);
      clearTimeout(pings);
    },
  };
}

/**
 * The same response, whose stream breaks off with an error when nothing comes for `silentMs`, or nothing but pings for
 * `pingOnlyMs`, or when it ends before its message does; and which ends with its message, though the connection stays open.
 */
export function watchStream(response: Response, patience: Patience): Response {
  const { body } = response;
  if (body === null) return response;
  const reader = body.getReader();
  let isComplete = false;
  let watch: Watch | null = null;
  const close = (why: unknown) => {
    watch?.end();
    reader.cancel(why).catch(() => undefined);
  };
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      watch = startWatch(patience, (why) => {
        controller.error(new Error(`the model fell silent: ${why}`));
        close(why);
      });
    },
    pull: async (controller) => {
      if (isComplete) {
        controller.close();
        close('the message is complete');
        return;
      }
      const { done, value } = await reader.read();
      if (done) {
        controller.error(new Error('the stream ended before its message did'));
        close('ended');
        return;
      }
      isComplete = watch?.seen(value) ?? false;
      controller.enqueue(value);
    },
    cancel: close,
  });
  return new Response(stream, { status: response.status, statusText: response.statusText, headers: response.headers });
}

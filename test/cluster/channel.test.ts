import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { isCount } from '../../src/telemetry/guard.ts';
import { until } from '../_adapters.ts';
import { Channel, Refusal, type Handlers } from '../../src/cluster/channel.ts';
import { isDone } from '../../src/cluster/messages.ts';

type Done = (error: Error | null) => void;

/** A worker as far as a channel looks at it; what is sent goes through JSON to the other end. */
class End extends EventEmitter {
  other: End | undefined;
  readonly sent: unknown[] = [];

  send(message: unknown, _handle: unknown, _options: unknown, done: Done): void {
    this.sent.push(message);
    const json = JSON.stringify(message);
    queueMicrotask(() => {
      done(this.other ? null : new Error('closed'));
      this.other?.emit('message', JSON.parse(json));
    });
  }
}

function channelOf(end: End, handlers: Partial<Handlers> = {}): Channel {
  return new Channel(end as unknown as Worker, { answer: () => null, ...handlers });
}

/** Two ends of a way, and the channel at the first; the second answers. */
function pair(answer: Handlers['answer'], more: Partial<Handlers> = {}): [Channel, End, End] {
  const [here, there] = [new End(), new End()];
  here.other = there;
  there.other = here;
  channelOf(there, { answer, ...more });
  return [channelOf(here), here, there];
}

describe('a question', () => {
  test('gets its own answer, whatever the order', async () => {
    let asked = 0;
    const [channel] = pair(async () => {
      const number = ++asked;
      await new Promise((resolve) => {
        setTimeout(resolve, 40 - 10 * number);
      });
      return number;
    });
    const questions = [1, 2, 3].map(async () => channel.ask({ about: 'finish' }, isCount));
    expect(await Promise.all(questions)).toEqual([1, 2, 3]);
  });

  test('is refused with the reason', async () => {
    const [channel] = pair(() => {
      throw new Error('the certificate is odd');
    });
    const refused = channel.ask({ about: 'retire' }, isDone);
    await expect(refused).rejects.toThrow(new Refusal('the certificate is odd'));
  });

  test('fails where the answer is none', async () => {
    const [channel] = pair(() => 'many');
    const odd = channel.ask({ about: 'finish' }, isCount);
    await expect(odd).rejects.toThrow('that is no answer to finish');
  });

  test('fails when the time is up, and its late answer harms nobody', async () => {
    const late: ((answer: number) => void)[] = [];
    const [channel] = pair(
      () =>
        new Promise((resolve) => {
          late.push(resolve);
        }),
    );
    await expect(channel.ask({ about: 'finish' }, isCount, 20)).rejects.toThrow('does not answer');
    const next = channel.ask({ about: 'finish' }, isCount);
    await until(() => late.length === 2);
    for (const [at, answer] of late.entries()) answer(at);
    expect(await next).toBe(1);
  });

  test('fails when the other side ends, and when it has ended', async () => {
    const [channel, here] = pair(() => new Promise(() => undefined));
    const asked = channel.ask({ about: 'report' }, isDone);
    here.emit('disconnect');
    await expect(asked).rejects.toThrow('has ended');
    here.other = undefined;
    await expect(channel.ask({ about: 'report' }, isDone)).rejects.toThrow('closed');
  });

  test('is refused at once, with a 503, where a thousand wait already', async () => {
    const [channel, here] = pair(() => new Promise(() => undefined));
    const waiting = Array.from({ length: 1000 }, async () =>
      channel.ask({ about: 'report' }, isDone).catch(() => 'failed'),
    );
    const refused = channel.ask({ about: 'report' }, isDone);
    await expect(refused).rejects.toMatchObject({ code: 'overloaded', status: 503 });
    expect(here.sent).toHaveLength(1000);
    here.emit('disconnect');
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['failed']));
  });
});

test('what is no message of ours is left alone', () => {
  const told: unknown[] = [];
  const end = new End();
  channelOf(end, {
    answer: (question) => told.push(question),
    counts: (counts) => told.push(counts),
    taken: (id) => told.push(id),
  });
  const numbers = { total_requests: 1, successes: 1, failures: 0 };
  for (const value of [
    undefined,
    null,
    'shutdown',
    { kind: 'other' },
    { kind: 'taken' },
    { kind: 'taken', id: '1' },
    { kind: 'question', id: 1, question: { about: 'weather' } },
    { kind: 'question', id: 1, question: { about: 'renew', credentials: { cert: '' } } },
    { kind: 'counts', counts: numbers },
    { kind: 'counts', counts: { ...numbers, endpoint_hits: { '/ip': '1' }, proxy_faults: {} } },
    { kind: 'answer', id: 7, answer: 1 },
    { kind: 'failure', id: 7, reason: 'unasked' },
  ]) {
    end.emit('message', value);
  }
  expect(told).toEqual([]);
  end.emit('message', { kind: 'taken', id: 1 });
  expect(told).toEqual([1]);
});

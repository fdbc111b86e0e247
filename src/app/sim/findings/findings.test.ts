import { describe, expect, it } from 'vitest';
import { plainLink, plainRun } from '../../../simulator/results/plain-run.fixture.js';
import type { RunResult } from '../../../simulator/results/run-result.js';
import { runsOf, type StudyInput, studyFrom } from '../study.fixture.js';
import { resultsOf } from '../study-results.js';
import type { Finding, FindingKind, Transport } from './evidence.js';
import { findingsOf } from './findings.js';

const GO_BACK_N: Transport = { reliability: 'go-back-n', congestion: 'dcqcn-paper', pfc: true };

function said(runs: readonly RunResult[], transport = GO_BACK_N): Finding[] {
  return findingsOf(runs, { transport, limit: 1000 });
}

function kinds(findings: readonly Finding[], scheme = 'ecmp'): FindingKind[] {
  return findings.filter((finding) => finding.scheme === scheme).map(({ kind }) => kind);
}

function packets(changes: Partial<RunResult['packets']>): Pick<RunResult, 'packets'> {
  return { packets: { ...plainRun().packets, ...changes } };
}

async function ofStudy(input: Partial<StudyInput>): Promise<Finding[]> {
  const study = studyFrom(input);
  const results = resultsOf(study, await runsOf(study));
  return findingsOf(results.runs, results);
}

function only(findings: readonly Finding[], scheme: string, kind: FindingKind): Finding {
  const found = findings.filter((finding) => finding.scheme === scheme && finding.kind === kind);
  expect(found.map(({ kind }) => kind)).toEqual([kind]);
  return found[0]!;
}

describe('findings of simulated fabrics', () => {
  it('per-packet DLB under go-back-N: most is sent again, and why', async () => {
    const findings = await ofStudy({ schemes: [{ dlb: { mode: 'per-packet' } }, 'ecmp'] });
    const { text, values } = only(findings, 'dlb mode=per-packet', 'sent-again');
    expect(values.sentAgain).toBeGreaterThan(0.2);
    expect(values.lost).toBe(0);
    expect(text).toMatch(
      /^\d+ % of data packets were sent again: [\d,]+ packets \(\d+ %\) arrived out of order, though none/,
    );
    expect(text).toContain('go-back-N keeps nothing that follows a gap');
    expect(text).toMatch(/Repeats were \d+ % of the octets that hosts sent/);
    expect(kinds(findings)).not.toContain('sent-again');
  });

  it('NICs that place packets need none of that', async () => {
    const findings = await ofStudy({
      schemes: [{ dlb: { mode: 'per-packet' } }],
      transport: { reliability: 'placing' },
    });
    expect(kinds(findings, 'dlb mode=per-packet')).not.toContain('sent-again');
  });

  it('collisions of ECMP, flowlets that never come, the even links of RLB, ConWeave’s queues', async () => {
    const findings = await ofStudy({
      schemes: ['ecmp', 'letflow', 'conweave', 'rlb'],
      workload: { permutation: { octets: '4MB', stride: 4 } },
    });
    const uneven = only(findings, 'ecmp', 'uneven-links');
    expect(uneven.values.up).toBeGreaterThan(1.25);
    expect(uneven.text).toContain('hash');
    expect(only(findings, 'letflow', 'few-flowlets').values.moves).toBe(0);
    expect(only(findings, 'rlb', 'even-links').values.up).toBeLessThan(1.001);
    expect(only(findings, 'conweave', 'reorder-queues').values.kept).toBeGreaterThan(0);
    expect(findings[0]).toMatchObject({ kind: 'verdict' });
    expect(findings[0]!.text).toMatch(/^Lowest average slowdown: rlb, 1\.\d+; then \w+, .* 1 seed/);
  });

  it('an incast pauses tier after tier', async () => {
    const findings = await ofStudy({
      workload: { incast: { octets: '1MB', receiver: 'host1', senders: 12 } },
      switches: { buffer: '2MB', 'pfc-before-ecn': true },
    });
    expect(only(findings, 'ecmp', 'pauses').text).toMatch(/^Pauses \(PFC\) .*spines by leaves [\d.]+ % of the time/);
  });

  it('a link that is cut: what was lost, and the time-outs after it', async () => {
    const findings = await ofStudy({
      schemes: ['rlb'],
      workload: { permutation: { octets: '4MB', stride: 4 } },
      failures: [{ at: '100us', link: 'leaf1:spine2' }],
    });
    const { text, values } = only(findings, 'rlb', 'losses');
    expect(text).toMatch(/^Data packets were lost: [\d,]+ (at|on) /);
    expect(values['dropped-down']! + (values['dropped-unreachable'] ?? 0)).toBeGreaterThan(0);
  });
});

describe('thresholds', () => {
  it('an ordinary run is no reason for words', () => {
    expect(said([plainRun()])).toEqual([]);
  });

  it('of packets that are sent again: one in a thousand', () => {
    expect(kinds(said([plainRun(packets({ resent: 9 }))]))).toEqual([]);
    expect(kinds(said([plainRun(packets({ resent: 10 }))]))).toEqual(['sent-again']);
  });

  it('losses are the reason where more packets were lost than overtaken, whatever came out of order behind them', () => {
    const text = (lost: number, reliability: Transport['reliability']) => {
      const counted = packets({ resent: 900, 'out-of-order': 1000, overtaken: 50, lost });
      return said([plainRun(counted)], { ...GO_BACK_N, reliability })[0]!.text;
    };
    expect(text(10, 'go-back-n')).toContain('only 10 data packets were lost; go-back-N keeps nothing');
    expect(text(100, 'go-back-n')).toContain('100 data packets were lost, and go-back-N sends all again');
    expect(text(100, 'irn')).toContain('only what is missing is sent again');
    expect(text(10, 'irn')).toContain('IRN takes what is overtaken for lost');
  });

  it('losses are of data packets; answers that were lost are counted apart, and alone are a reason of time-outs', () => {
    const answers = said([plainRun(packets({ resent: 900, lost: 100, 'answers-lost': 7000, 'out-of-order': 1000 }))]);
    expect(answers[0]!.text).toContain('100 data packets were lost, and go-back-N');
    expect(answers[0]!.values.lost).toBe(100);
    expect(answers[1]!.text).toMatch(/^Data packets were lost: 100 on the wire. Lost were also 7,000 answers/);
    const alone = said([plainRun(packets({ resent: 900, 'answers-lost': 70, timeouts: 9 }))]);
    expect(alone[0]!.text).toContain('no data packet was lost or came out of order, but 70 answers were lost');
    expect(alone[1]!.text).toMatch(/^No data packet was lost. Lost were also 70 answers.*9 time-outs/);
    const one = said([plainRun(packets({ resent: 900, 'answers-lost': 1, timeouts: 1 }))]);
    expect(one[0]!.text).toContain('but 1 answer was lost');
    expect(one[1]!.text).toMatch(/Lost were also 1 answer \(.*ran into 1 time-out,/);
    expect(kinds(said([plainRun(packets({ 'control-lost': 3 }))]))).toEqual([]);
  });

  it('notifications are of marks, of gaps, or of both: a hundredth of data packets', () => {
    const text = (changes: Partial<RunResult['packets']>) =>
      said([plainRun(packets({ 'congestion-notices': 500, ...changes }))])[0]?.text;
    expect(text({ marked: 99, 'complaint-notices': 99 })).toBeUndefined();
    expect(text({ marked: 100 })).toMatch(/^1 % of data packets were marked .* 500 notifications .* step by step\.$/);
    const both = /500 notifications .*: 400 of them told of marks, and 100 of them of no mark but of a gap/;
    expect(text({ marked: 9, 'complaint-notices': 100 })).toMatch(both);
  });

  it('links are uneven from a quarter above the mean, even to a fiftieth; leaves without a load do not count', () => {
    const run = (busiest: number, idleLeaf = 0.5) =>
      plainRun({
        links: [
          ...plainLink('leaf1', 'spine1', { up: busiest * 0.5, down: 0.5 }),
          ...plainLink('leaf1', 'spine2', { up: (2 - busiest) * 0.5, down: 0.5 }),
          ...plainLink('leaf2', 'spine1', { up: idleLeaf, down: 0.5 }),
          ...plainLink('leaf2', 'spine2', { up: 0.04, down: 0.5 }),
        ],
      });
    expect(kinds(said([run(1.24, 0.001)]))).toEqual([]);
    expect(kinds(said([run(1.26, 0.001)]))).toEqual(['uneven-links']);
    expect(kinds(said([run(1.01, 0.001)]))).toEqual(['even-links']);
    expect(said([run(1.96)])[0]!.text).toContain('(1.96 at leaf1, the worst), and 25 % of them');
  });

  it('a link that was down is no uneven one', () => {
    const links = (downShare: number) => [
      ...plainLink('leaf1', 'spine1'),
      ...plainLink('leaf1', 'spine2', { up: 0.01, down: 0.01, downShare }),
      ...plainLink('leaf1', 'spine3'),
    ];
    expect(kinds(said([plainRun({ links: links(0) })]))).toEqual(['uneven-links']);
    expect(kinds(said([plainRun({ links: links(0.1) })]))).toEqual(['even-links']);
  });

  it('pauses of a hundredth of the time, or of a tenth at one port', () => {
    const run = (share: number, most: number) =>
      plainRun({ pause: { frames: 9, byHop: [{ from: 'host', to: 'leaf', ports: 16, share, most }] } });
    expect(kinds(said([run(0.009, 0.09)]))).toEqual([]);
    expect(kinds(said([run(0.01, 0.09)]))).toEqual(['pauses']);
    expect(kinds(said([run(0.009, 0.1)]))).toEqual(['pauses']);
  });

  it('what did not end is said first, and is not best', () => {
    const slow = plainRun({
      scheme: 'dlb',
      slowdown: undefined,
      flows: { count: 32, finished: 5, octets: 1 },
      duration: 1000,
    });
    const findings = said([plainRun(), slow]);
    expect(kinds(findings, 'dlb')).toEqual(['unfinished']);
    expect(findings[0]!.text).toMatch(/^27 of 32 flows.* limit of 1000 us was reached; slowdowns are of those/);
    const none = said([{ ...slow, flows: { count: 32, finished: 0, octets: 1 } }]);
    expect(none[0]!.text).toMatch(/^32 of 32 flows.* was reached\.$/);
    expect(said([plainRun(), { ...slow, slowdown: { ...plainRun().slowdown!, average: 1 } }])).toHaveLength(1);
  });

  it('flowlets that follow each other are a herd from half more than chance on, and HULA is not said to be as ECMP', () => {
    const run = (followed: number, soonAfter = 400) =>
      plainRun({
        scheme: 'hula',
        ofScheme: { flowlets: 1000, moves: 1, soonAfter, followed, followedByChance: soonAfter / 4 },
      });
    expect(kinds(said([run(149)]), 'hula')).toEqual(['few-flowlets']);
    expect(kinds(said([run(99, 99)]), 'hula')).toEqual(['few-flowlets']);
    const [few, herd] = said([run(300)]);
    expect(few!.text).not.toContain('ECMP');
    expect(herd).toMatchObject({ kind: 'herd', values: { soonAfter: 400, followed: 300, chance: 100 } });
    expect(herd!.text).toContain('75 % took the same port as that (25 % would by chance)');
    const letflow = plainRun({ scheme: 'letflow', ofScheme: { flowlets: 1000, moves: 1 } });
    expect(said([letflow])[0]!.text).toContain('by chance, as with ECMP');
  });

  it('a limit before the first look at the fabric was reached as any other is', async () => {
    const findings = await ofStudy({ limit: '5us' });
    expect(only(findings, 'ecmp', 'unfinished').text).toBe(
      "16 of 16 flows had not ended when the study's limit of 5 us was reached.",
    );
  });

  it('a job that was done before flows beside it count', async () => {
    const job: Partial<StudyInput> = {
      workload: { collective: { kind: 'all-reduce', octets: '1MB' } },
      background: { sizes: 'alistorage2019', load: '20%', duration: '9ms' },
    };
    const { text, values } = only(await ofStudy({ ...job, measure: { from: '6ms' } }), 'ecmp', 'unmeasured');
    expect(text).toMatch(
      /^No background flow counts: those that start from 6,000 us on do, .* over after [\d,]+ us\.$/,
    );
    expect(values.duration).toBeLessThan(values.from!);
    expect(kinds(await ofStudy({ ...job, measure: { until: '5ms' } }))).not.toContain('unmeasured');
  });

  it('of RLB the fallback is said where it was used', () => {
    expect(kinds(said([plainRun({ scheme: 'rlb', ofScheme: { flowlets: 7, moves: 0 } })]), 'rlb')).toEqual([
      'fallback',
    ]);
    expect(kinds(said([plainRun({ scheme: 'rlb', ofScheme: { flowlets: 0, moves: 0 } })]), 'rlb')).toEqual([]);
  });
});

describe('which scheme is best', () => {
  const slow = (scheme: string, seed: number, average: number) =>
    plainRun({ scheme, seed, slowdown: { ...plainRun().slowdown!, average } });

  it('is compared seed by seed: seeds that differ among themselves do not hide a difference', () => {
    const runs = [1, 2, 3].flatMap((seed) => [slow('ecmp', seed, seed + 0.5 + seed / 1000), slow('rlb', seed, seed)]);
    expect(said(runs)[0]!.text).toMatch(/^Lowest average slowdown: rlb, 2 ±2\.48; then ecmp,.* more than chance/);
  });

  it('may be chance', () => {
    const runs = [slow('ecmp', 1, 1.5), slow('rlb', 1, 1), slow('ecmp', 2, 1), slow('rlb', 2, 1.4)];
    expect(said(runs)[0]!.text).toContain('that may be chance');
  });

  it('is of collectives the one with the most bandwidth', () => {
    const runs = [plainRun({ busBandwidth: 100 }), plainRun({ scheme: 'rlb', busBandwidth: 380 })];
    expect(said(runs)[0]!.text).toMatch(/^Highest bus bandwidth, Gb\/s: rlb, 380/);
  });
});

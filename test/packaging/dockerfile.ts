/** A Dockerfile as stages of instructions, as far as ours goes: comments, lines that go on, no heredocs. */

export interface Instruction {
  /** `RUN`, `COPY`. */
  readonly word: string;
  readonly argument: string;
}

export interface Stage {
  readonly image: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** Throws at what is no instruction. */
export function readDockerfile(text: string): readonly Stage[] {
  const stages: { image: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of instructionLines(text)) {
    const [, word, argument] = /^([A-Z]+)\s+(.+)$/s.exec(line) ?? [];
    if (word === undefined || argument === undefined) throw new Error(`no instruction: ${line}`);
    if (word === 'FROM') {
      const [, image = '', name] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(argument) ?? [];
      stages.push({ image, name, instructions: [] });
    } else if (stages.length === 0) throw new Error(`before any stage: ${line}`);
    else stages.at(-1)!.instructions.push({ word, argument });
  }
  return stages;
}

function instructionLines(text: string): string[] {
  const kept = text.split('\n').filter((line) => !line.startsWith('#'));
  return kept
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

export function argumentsOf(stage: Stage, word: string): string[] {
  return stage.instructions.filter((one) => one.word === word).map(({ argument }) => argument);
}

/** Of the exec form, in which no shell stands between the engine and the program. Throws at the shell form. */
export function execForm(argument: string): string[] {
  const words: unknown = JSON.parse(argument);
  if (!Array.isArray(words)) throw new Error(`no exec form: ${argument}`);
  return words.map(String);
}

/** `['cap_net_admin', ...]`: what file capabilities the image gives its launcher. */
export function launcherCapabilities(stage: Stage): string[] {
  const [, list] = /\bsetcap (\S+)=p /.exec(argumentsOf(stage, 'RUN').join('\n')) ?? [];
  return (list ?? '').split(',');
}

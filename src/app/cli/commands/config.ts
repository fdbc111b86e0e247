/** `heddle config from-frr`, `from-junos`: configurations of other implementations as ones of heddle. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { counted } from '../../../core/net/counted.js';
import { fromFrr } from '../../translate/frr/from-frr.js';
import { fromJunos } from '../../translate/junos/from-junos.js';
import { readSource } from '../../translate/source-text.js';
import { type Draft, leftoverText, type Translation, writeTranslation } from '../../translate/translation.js';
import { examples } from '../examples.js';
import { CommandError, EXIT_CODES_HELP, EXIT_FAILURE, EXIT_USAGE, SilentExit } from '../exit-codes.js';
import { complain, print, printJson } from '../terminal.js';

interface TranslationOptions {
  readonly role?: Draft['role'];
  readonly json?: true;
}

interface JunosOptions extends TranslationOptions {
  readonly interface?: ReadonlyMap<string, string>;
}

const ENDS = `
The configuration goes to standard output; what could not be translated to standard error, line by line, and as comments at its end.
Ends with 0 when all of it was translated, with 1 when something was left, with 2 when the file cannot be read or is no configuration.
${EXIT_CODES_HELP}`;

export function register(program: Command): void {
  const config = program
    .command('config')
    .description('turn configurations of other routers into ones of heddle')
    .addHelpText(
      'after',
      examples('heddle config from-frr frr.conf > leaf1.yaml', 'heddle config from-junos leaf1.set > leaf1.yaml'),
    );
  translator(config, 'from-frr', 'the relevant part of an FRR configuration (frr.conf)')
    .addHelpText(
      'after',
      examples(
        'heddle config from-frr /etc/frr/frr.conf > leaf1.yaml',
        "ssh leaf1 vtysh -c 'show running-config' | heddle config from-frr - --role leaf > leaf1.yaml",
      ) + ENDS,
    )
    .action((file: string, options: TranslationOptions) => {
      tell(file, fromFrr(sourceOf(file), options.role), options);
    });
  translator(config, 'from-junos', 'the relevant part of a Junos configuration (set lines, or with braces)')
    .option('--interface <JUNOS=LINUX>', 'name of an interface here; may be given several times', renaming)
    .addHelpText(
      'after',
      examples(
        'heddle config from-junos leaf1.set --interface et-0/0/0.0=swp1 > leaf1.yaml',
        "ssh leaf1 'show configuration | display set' | heddle config from-junos - > leaf1.yaml",
      ) + ENDS,
    )
    .action((file: string, options: JunosOptions) => {
      const translated = fromJunos(sourceOf(file), { interfaces: options.interface ?? new Map(), role: options.role });
      tell(file, translated, options);
    });
}

function translator(config: Command, name: string, description: string): Command {
  return config
    .command(name)
    .description(description)
    .argument('<FILE>', 'configuration file; - is standard input')
    .addOption(
      new Option('--role <ROLE>', 'what the router is (default: a leaf when it announces prefixes of its own)').choices(
        ['leaf', 'spine'],
      ),
    )
    .option('--json', 'the configuration, remarks and what was left, as JSON');
}

function sourceOf(file: string): string {
  const source = readSource(file);
  if ('problem' in source) throw new CommandError(`${file}: ${source.problem}`, EXIT_USAGE);
  return source.text;
}

function tell(file: string, translation: Translation | string, { json }: TranslationOptions): void {
  if (typeof translation === 'string') throw new CommandError(`${file}: ${translation}`, EXIT_USAGE);
  const { left, remarks } = translation;
  const { text, problems } = writeTranslation(translation, file);
  if (json) printJson({ configuration: text, remarks, left, problems });
  else print([text.trimEnd()]);
  complain([
    ...left.map((one) => `${file}: ${leftoverText(one)}`),
    ...problems.map((problem) => `${file}: heddle check will refuse ${problem}`),
  ]);
  if (left.length === 0 && problems.length === 0) return;
  complain([`${file}: ${counted(left.length, 'line')} left, ${counted(problems.length, 'mistake')} to correct`]);
  throw new SilentExit(EXIT_FAILURE);
}

function renaming(text: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [junos = '', linux = '', ...more] = text.split('=');
  if (junos === '' || linux === '' || more.length > 0)
    throw new InvalidArgumentError('It is JUNOS=LINUX, such as et-0/0/0.0=swp1.');
  return new Map(before).set(junos, linux);
}

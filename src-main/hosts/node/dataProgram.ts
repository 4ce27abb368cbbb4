import type { Command } from 'commander'
import { dataFolder, json, nonEmpty } from './arguments.ts'
import type { Parts } from './parts.ts'

/** The commands about the data folder as a whole; what they do is loaded when one runs. */
export function describeData(program: Command, parts: Parts, ended: (code: number) => void): void {
  program
    .command('backup')
    .description('everything in one file, also while the studio runs; without keys, a network or a keychain')
    .argument('[file]', 'a tar file, or - for standard output (usual: inference-studio-DATE.tar here)', nonEmpty)
    .option('--force', 'write over a file that is there', false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (file, options) => ended(await (await import('./commands/backup.ts')).backup(file, options, parts)))

  program
    .command('restore')
    .description('puts a backup in the place of everything; what was there is kept beside it')
    .argument('<file>', 'a file of `backup`', nonEmpty)
    .option('--yes', 'without asking', false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (file, options) => ended(await (await import('./commands/restore.ts')).restore(file, options, parts)))
}

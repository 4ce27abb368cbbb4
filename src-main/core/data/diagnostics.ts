import { homedir, release } from 'node:os'
import { join } from 'node:path'
import type { AppState, Settings } from '../../../src-preload/contract/app.ts'
import type { Host } from '../host.ts'
import { withoutSecrets } from '../shared/secrets.ts'
import { databases, sideFiles } from './databases.ts'
import { bytesOnDisk } from './disk.ts'

/** Longest line of the log in the report, UTF-16 units. */
const maxLine = 400
/** A quoted text of at least this many characters is not shown: it may be from a chat. */
const longQuote = /(["“'‘`])[^"”'’`\n]{40,}(["”'’`]|$)/g

export interface DiagnosticsSources {
  host: Pick<Host, 'name' | 'version' | 'dataDir' | 'diagnostics'>
  state(): Pick<AppState, 'connection' | 'keychain' | 'proxy' | 'settings' | 'storage' | 'profiles'>
  /** Removes the API keys of this run from a text. */
  redact(text: string): string
}

/**
 * A report about the program and its environment as plain text, to be copied into a question to the developers. It has no keys, no
 * addresses, no texts of chats and no names that the person gave.
 */
export function diagnosticsReport({ host, state, redact }: DiagnosticsSources, now = new Date()): string {
  const { connection, keychain, proxy, settings, storage, profiles } = state()
  const { platform, arch, versions } = process
  const problems = host.diagnostics?.recentProblems() ?? []
  const own = Object.entries(host.diagnostics?.versions() ?? {}).map(([name, version]) => [name, version ?? 'unknown'])
  const sections: [title: string, rows: (readonly string[])[]][] = [
    [
      'Program',
      [
        ['version', host.version],
        ['host', host.name],
        ['time', now.toISOString()],
        ['running for', `${Math.round(process.uptime())} s`],
        ['memory', size(process.memoryUsage.rss())],
        ['crash dumps', String(host.diagnostics?.crashDumps() ?? 0)],
      ],
    ],
    ['Versions', [...own, ['node', versions.node], ['sqlite', versions.sqlite ?? 'unknown']]],
    [
      'System',
      [
        ['platform', `${platform} ${arch}, ${release()}`],
        ...(platform === 'linux' ? [['desktop', desktopOf(process.env)]] : []),
      ],
    ],
    [
      'State',
      [
        ['connection', connection.state + (connection.problem ? ` (${connection.problem.kind})` : '')],
        ['connections', `${profiles.length}, key: ${connection.profile?.keyKept ?? 'none'}`],
        ['keychain', keychain.available ? 'available' : 'not available'],
        [
          'local API',
          `${proxy.state}, ${proxy.apps} apps, ${proxy.active} running, ${proxy.refused} refused since start`,
        ],
        ['storage', storage ? storage.kind : 'writable'],
      ],
    ],
    [
      'Data',
      [
        ...databases.map(({ name, file, pathIn }) => {
          const beside = sideFiles(file).reduce((sum, one) => sum + bytesOnDisk(join(host.dataDir, one)), 0)
          return [name, `${size(bytesOnDisk(pathIn(host.dataDir)))} + ${size(beside)} write-ahead log`]
        }),
        ['media', size(bytesOnDisk(join(host.dataDir, 'media')))],
      ],
    ],
    ['Settings', Object.entries(shownSettings(settings)).map(([name, value]) => [name, JSON.stringify(value)])],
    ['Last warnings and errors', problems.length === 0 ? [['none']] : problems.map((line) => [shownLine(line)])],
  ]
  const text = sections
    .map(([title, rows]) => [`## ${title}`, ...rows.map((row) => row.join(': '))].join('\n'))
    .join('\n\n')
  return redact(`# Inference Studio diagnostics\n\n${text}\n`)
}

/** Settings that say how the program works. Texts, names and addresses that the person wrote are counted instead. */
function shownSettings(settings: Settings): Record<string, unknown> {
  const { newChatInstructions, proxyOrigins, secretBeginnings, shortcuts, textActions, ...rest } = settings
  const { chatModel, newChatModel, titleModel, textActionModel, voice, ...others } = rest
  return {
    ...others,
    newChatInstructions: `${newChatInstructions.length} characters`,
    proxyOrigins: `${proxyOrigins.length} origins`,
    secretBeginnings: `${secretBeginnings.length} beginnings`,
    textActions: textActions === null ? 'built-in' : `${textActions.length} actions`,
    shortcuts: `${Object.keys(shortcuts).length} changed`,
    chatModel: isSet(chatModel),
    newChatModel: isSet(newChatModel),
    titleModel: isSet(titleModel),
    textActionModel: isSet(textActionModel),
    voice: isSet(voice),
  }
}

const isSet = (value: string | null): string => (value === null ? 'not set' : 'set')

/** A line of the log without keys, the name of the person's home folder, and long quotations. */
function shownLine(line: string): string {
  const home = homedir()
  const withoutHome = home.length > 1 ? line.replaceAll(home, '~') : line
  return withoutSecrets(withoutHome).replace(longQuote, '$1…$2').slice(0, maxLine).toWellFormed()
}

const desktopOf = (env: NodeJS.ProcessEnv): string =>
  [env.XDG_CURRENT_DESKTOP, env.XDG_SESSION_TYPE].filter(Boolean).join(', ') || 'none'

const size = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

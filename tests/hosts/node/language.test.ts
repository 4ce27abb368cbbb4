import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fileProblem } from '../../../src-main/core/shared/diskProblem.ts'
import { wantedLanguages } from '../../../src-main/hosts/node/language.ts'
import { fileError } from '../../../src-main/hosts/node/ownWords.ts'
import { columns } from '../../../src-main/hosts/node/table.ts'
import { languages, speak, t } from '../../../src-renderer/i18n/cli.ts'
import { cli } from '../../../src-renderer/i18n/en/host/cli.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { realCommands } from './fixtures/inProcess.ts'

const folder = temporaryFolder('studio-language-')
const inGerman = realCommands({ LC_ALL: 'de_DE.UTF-8', INFERENCE_STUDIO_DATA_DIR: join(folder, 'data') })
afterAll(() => speak([]))

describe('the language of a command', () => {
  const plain = { env: {}, platform: 'linux', isTerminal: true } as const
  it.each([
    ['that of LC_ALL before the others', { LC_ALL: 'de_AT.UTF-8', LC_MESSAGES: 'fr_FR', LANG: 'ja_JP' }, ['de-AT']],
    ['that of LC_MESSAGES before LANG', { LC_MESSAGES: 'fr_FR@euro', LANG: 'ja_JP' }, ['fr-FR']],
    ['that of LANG, without a charset', { LANG: 'zh_CN.GB18030' }, ['zh-CN']],
    ['that of the list in LANGUAGE first', { LANGUAGE: 'ca:es_ES', LANG: 'de_DE' }, ['ca', 'es-ES', 'de-DE']],
    ['no language of LANGUAGE without a locale', { LANGUAGE: 'es' }, []],
    ['English in the C locale, whatever LANGUAGE says', { LANGUAGE: 'es', LC_ALL: 'C', LANG: 'de_DE' }, []],
    ['English in C.UTF-8 and POSIX', { LC_ALL: 'C.UTF-8', LANG: 'POSIX' }, []],
    ['that of LANG when LC_ALL is empty', { LC_ALL: '', LANG: 'ar_EG.UTF-8' }, ['ar-EG']],
  ])('is %s', (_name, env, expected) => {
    expect(wantedLanguages(['chat'], { ...plain, env })).toEqual(expected)
  })

  const german = { ...plain, env: { LANG: 'de_DE.UTF-8' } }
  it.each([
    [['chat', '--lang', 'fr'], ['fr']],
    [['--lang=pt-BR', 'chat', 'Hello'], ['pt-BR']],
    [['chat', '--', '--lang', 'fr'], ['de-DE']],
    [['chat', '--json'], []],
    [['chat', '--lang', 'fr', '--json'], []],
    [['chat', '--', '--json'], ['de-DE']],
    [['man'], []],
    [['--quiet', 'completion', 'bash'], []],
    [['--lang', 'ja', 'man'], ['ja']],
    [['serve', '--open'], ['de-DE']],
    [['serve', '--log', 'json'], []],
    [['serve', '--log=json'], []],
  ])('with the arguments %j is %j', (argv, expected) => {
    expect(wantedLanguages(argv, german)).toEqual(expected)
  })

  it('is English for serve without a terminal, whose messages are a log', () => {
    expect(wantedLanguages(['serve'], { ...german, isTerminal: false })).toEqual([])
    expect(wantedLanguages(['chat'], { ...german, isTerminal: false })).toEqual(['de-DE'])
  })

  it('is that of the system on Windows, which has no such variables', () => {
    expect(wantedLanguages(['chat'], { ...plain, platform: 'win32' })).toHaveLength(1)
  })
})

describe('a command in German', () => {
  it('has its help in German, with the same commands, options and values', async () => {
    const { stdout } = await inGerman(['requests', '--help'])
    expect(stdout).toContain('Aufruf: inference-studio requests [options]')
    expect(stdout).toContain('Optionen:')
    expect(stdout).toContain('möglich: "open", "ok"')
    expect(stdout).toContain('Vorgabe: "UTC"')
    expect(stdout).toContain('Hilfe zu einem Befehl anzeigen')
    expect(stdout).not.toMatch(/display help|choices:|default:|Options|Commands/)
  })

  it.each([
    [['requsts'], 'Fehler: Unbekannter Befehl „requsts“. (Meinst du requests?)'],
    [['requests', '--modell', 'x'], 'Fehler: Unbekannte Option „--modell“. (Meinst du --model?)'],
    [['requests', '--model'], 'Fehler: Der Option „--model <id>“ fehlt ihr Wert.'],
    [
      ['requests', 'a', 'b'],
      'Fehler: Zu viele Argumente für „requests“. Erwartet werden 0 Argumente, gegeben sind 2: a, b.',
    ],
    [
      ['requests', '--outcome', 'x'],
      'Fehler: Der Wert „x“ der Option „--outcome <outcome>“ ist ungültig. Möglich sind open, ok, failed, refused, cancelled.',
    ],
    [['apps', 'add'], 'Fehler: Das Argument „name“ fehlt.'],
    [
      ['completion', 'tcsh', '--lang', 'de'],
      'Fehler: Der Wert „tcsh“ des Arguments „shell“ ist ungültig. Möglich sind bash, zsh, fish, powershell.',
    ],
    [['erase', '--older-than', '3'], 'Fehler: Die Option „--what <names>“ fehlt.'],
    [['apps'], 'Fehler: Es fehlt ein Befehl.'],
    [
      ['chat', 'a', '--continue', '--chat', 'b'],
      'Fehler: --continue und --chat können nicht zusammen verwendet werden.',
    ],
  ])('says in German what is wrong with %j', async (args, expected) => {
    const { code, stderr } = await inGerman(args)
    expect(code).toBe(2)
    expect(stderr).toContain(`${expected}\n`)
  })

  it('has its own errors in German, and the meaning of those of the core above their English words', async () => {
    expect((await inGerman(['import', '/no/such/file'])).stderr).toBe(
      'Fehler: /no/such/file kann nicht gelesen werden: Datei oder Ordner nicht gefunden (ENOENT).\n',
    )
    expect((await inGerman(['connections', 'use', 'work'])).stderr).toBe(
      'Fehler: Nicht gefunden.\n  No connection is called work.\n',
    )
  })

  it('has tables in German', async () => {
    await inGerman(['apps', 'add', 'editor', '--rpm', '1'])
    const { stdout } = await inGerman(['apps', 'list'])
    expect(stdout).toMatch(/^NAME +STATUS +ERSTELLT +ID +LIMITS\neditor +nie verwendet .* 1 Anfrage pro Minute\n$/)
  })

  it('is English for programs: with --json, and in scripts and man pages unless --lang asks', async () => {
    const { stdout, stderr } = await inGerman(['import', '/no/such/file', '--json'])
    expect(JSON.parse(stdout).problem.message).toBe('/no/such/file can’t be read: no such file or folder (ENOENT).')
    expect(stderr).toMatch(/^error: /)
    expect((await inGerman(['man'])).stdout).toContain('.SH COMMANDS')
    expect((await inGerman(['man', '--lang', 'de'])).stdout).toContain('.SH BEFEHLE')
    expect((await inGerman(['completion', 'zsh'])).stdout).toContain('Show the request log')
  })

  it('refuses a language that it does not have, and names those that it has', async () => {
    const { code, stderr } = await inGerman(['version', '--lang', 'tlh'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('The languages are en, ')])
    for (const language of languages) expect(stderr).toContain(language)
  })
})

describe('texts of the command line', () => {
  it('say in English what the core says of a failed file', async () => {
    await speak([])
    for (const code of Object.keys(cli.reasons)) {
      const thrown = Object.assign(new Error(`${code}: x`), { code, syscall: 'open' })
      const { kind, message } = fileProblem(thrown, '/a can’t be read')
      expect(fileError(thrown, t('file.cantRead', { path: '/a' }))).toMatchObject({ kind, message })
    }
  })

  it.each(languages)('have plural forms, separators and no open placeholder in %s', async (language) => {
    await speak([language])
    const counted = [0, 1, 2, 3, 11, 100, 12_345].map((count) => t('backup.things.messages', { count }))
    expect(counted.join()).not.toMatch(/\{\{|backup\.things/)
    expect(counted.at(-1)).toMatch(/12[.,\s]?345/)
    expect(new Set(counted).size).toBe(7)
  })

  it('are aligned by the columns of a terminal', async () => {
    await speak(['ja'])
    const lines = columns([
      ['名前', 'ID'],
      ['editor', '1'],
    ])
    expect(lines).toEqual(['名前    ID', 'editor  1'])
  })
})

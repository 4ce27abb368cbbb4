/** What a set-up is filled in with. `baseUrl` ends in `/v1`; `key` is a tool's own key, never the service's. */
export interface Facts {
  baseUrl: string
  key: string
  model: string
}

export interface SetupStep {
  /** What to do with the text, in a sentence. */
  about: string
  language: 'sh' | 'json' | 'toml' | 'python' | 'ts' | 'yaml' | 'text'
  /** The file that the text is, such as `~/.qwen/settings.json`. Without it, `sh` is for a terminal and a program for a file of one's own. */
  file?: string
  text: string
}

export interface Setup {
  id: string
  name: string
  kind: 'agent' | 'editor' | 'library' | 'shell'
  /** The package on npm, null where it is not there. */
  npm: string | null
  /** True where a test does a turn with exactly these texts; false where they are from the tool's documentation (see README.md). */
  verified: boolean
  /** In order. The last step of an agent is the line that starts it; tests append their prompt to that line. */
  steps(facts: Facts): SetupStep[]
  note?: string
}

/** The name under which tools that want one know the studio. */
export const provider = 'inference-studio'
export const providerName = 'Inference Studio'

/** One word for a POSIX shell, whatever is in it. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * A string for TypeScript, JavaScript, Python, JSON and YAML alike: each of them reads a JSON string as that same text, once what one of
 * them takes for a line's end or refuses (YAML 1.1, 5.1 and 5.4) is written as an escape.
 */
export const literal = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2)

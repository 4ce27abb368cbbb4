/** The values of a setup. `baseUrl` ends in `/v1`. `key` is an app's key, never the service's. */
export interface Facts {
  baseUrl: string
  key: string
  model: string
}

export interface SetupStep {
  /** What to do with the text, in one sentence. */
  about: string
  language: 'sh' | 'json' | 'toml' | 'python' | 'ts' | 'yaml' | 'text'
  /**
   * The file that contains the text, for example `~/.qwen/settings.json`. Without it, `sh` is for a terminal, and a program for a new file.
   */
  file?: string
  text: string
}

export interface Setup {
  id: string
  name: string
  kind: 'agent' | 'editor' | 'library' | 'shell'
  /** The npm package. Null when there is none. */
  npm: string | null
  /** True when a test runs a turn with exactly these texts. False when they are from the app's documentation (see README.md). */
  verified: boolean
  /** In order. The last step of an agent is the command that starts it. Tests append their prompt to it. */
  steps(facts: Facts): SetupStep[]
  note?: string
}

/** The provider name in configurations that need one. */
export const provider = 'inference-studio'
export const providerName = 'Inference Studio'

/** Quotes any text as one word for a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * A string literal for TypeScript, JavaScript, Python, JSON and YAML: all read a JSON string as the same text, once characters that one of
 * them treats as a line end or refuses (YAML 1.1, 5.1 and 5.4) are escaped.
 */
export const literal = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2)

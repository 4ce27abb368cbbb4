import type { appSetups } from '../../../i18n/en/appSetups.ts'

/** The values of a setup. `baseUrl` ends in `/v1`. `key` is an app's key, never the service's. */
export interface Facts {
  baseUrl: string
  key: string
  model: string
}

export interface SetupStep {
  /** Key of the sentence that says what to do with the text. */
  about: keyof (typeof appSetups)['steps']
  /** Packages to install first, for the sentence. */
  packages?: string
  language: 'sh' | 'json' | 'toml' | 'python' | 'ts' | 'yaml' | 'text'
  /**
   * The file for the text, for example `~/.qwen/settings.json`. Without a file, `sh` is for a terminal and program code for a new file.
   */
  file?: string
  text: string
}

/** A rule of the model map to offer for an app. `size` chooses the model: the person's own, or one for small tasks. */
export interface SuggestedRule {
  pattern: string
  size: 'large' | 'small'
}

export interface Setup {
  id: string
  /** Name of the product. Empty for the shell variables, whose name is translated. */
  name: string
  /** Key of the places where the app runs, when the name does not say it. */
  where?: keyof (typeof appSetups)['where']
  kind: 'agent' | 'editor' | 'library' | 'shell'
  /** The npm package. Null when the app has none. */
  npm: string | null
  /** True when a test runs a turn with exactly these texts. False when the texts are from the app's documentation (see README.md). */
  verified: boolean
  /** For an app that asks for models by the names of its vendor: the model map to offer, in order. */
  modelMap?: readonly SuggestedRule[]
  /** The steps in order. An agent's last step is its start command. Tests append their prompt to this command. */
  steps(facts: Facts): SetupStep[]
  /** Key of a note below the steps. */
  note?: keyof (typeof appSetups)['notes']
}

/** The context window for apps that can't read it from the service, tokens. */
export const contextWindow = 128_000

/** The provider name in configurations that need one. */
export const provider = 'inference-studio'
export const providerName = 'Inference Studio'

/** Quotes any text as one word for a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * A string literal for TypeScript, JavaScript, Python, JSON, YAML and TOML. All six read a JSON string as the same text. The escaped
 * characters are those that one language treats as a line end or refuses (YAML 1.1, 5.1 and 5.4; TOML 1.0, "String").
 */
export const literal = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2)

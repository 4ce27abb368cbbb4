import type { ProgramId, ProgramInfo, ProgramStep } from '../../../../src-preload/contract/programs.ts'
import type { appSetups } from '../../../i18n/en/appSetups.ts'

/** The values of a setup. `baseUrl` ends in `/v1`. `key` is an app's key, never the service's. */
export interface Facts {
  baseUrl: string
  key: string
  model: string
}

/** A text to paste. Without a file, `sh` is for a terminal and program code for a new file. */
export interface SetupStep extends Omit<ProgramStep, 'about' | 'language'> {
  /** Key of the sentence that says what to do with the text. */
  about: keyof (typeof appSetups)['steps']
  /** Packages to install first, for the sentence. */
  packages?: string
  language: ProgramStep['language'] | 'python' | 'ts'
}

interface SetupInfo extends Omit<ProgramInfo, 'kind' | 'note' | 'modelMap'> {
  id: string
  kind: 'agent' | 'editor' | 'library' | 'shell'
  /** For an app that asks for models by the names of its vendor: the model map to offer, in order. */
  modelMap?: ProgramInfo['modelMap']
  /** Key of a note below the steps. */
  note?: keyof (typeof appSetups)['notes']
}

/** A shell or a library, which needs only an address and a key. The steps are in order. */
export interface LibrarySetup extends SetupInfo {
  steps(facts: Facts): Omit<SetupStep, 'file'>[]
}

/** A program that Connect sets up. Its steps are those of the core. */
export interface ProgramSetup extends SetupInfo {
  id: ProgramId
}

export type Setup = LibrarySetup | ProgramSetup

export const isLibrary = (setup: Setup): setup is LibrarySetup => 'steps' in setup

/** The provider name in configurations that need one. */
export const provider = 'inference-studio'

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

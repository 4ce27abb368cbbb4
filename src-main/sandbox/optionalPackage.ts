import { ServiceError } from './errors.ts'

/** What the sandbox can't do without its optional packages, for the sentence of the error. */
type Ability = 'speak' | 'transcribe'

/**
 * Name of the npm package that `error` reports as missing, or null. Speech and transcription need packages of 20 MB and more, which
 * package.json lists as optional: an installation may leave them out.
 */
export function missingPackage(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'MODULE_NOT_FOUND') return null
  const name = /^Cannot find (?:package|module) '((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^']*)?'/.exec(error.message)?.[1]
  return name === undefined || name.startsWith('.') ? null : name
}

/** Throws a reply that says which package is missing and how to install it, or `error` itself. */
export function refuseWithoutPackage(error: unknown, ability: Ability): never {
  const name = error instanceof MissingPackage ? error.packageName : missingPackage(error)
  if (name === null) throw error
  throw new ServiceError(
    501,
    'not_installed',
    `This sandbox cannot ${ability}, because the optional package ${name} is not installed. Install Inference Studio again with ` +
      '"npm install --include=optional", or connect to a service.',
  )
}

/** An optional package is missing, reported by another thread. */
export class MissingPackage extends Error {
  readonly packageName: string

  constructor(packageName: string) {
    super(`The package ${packageName} is not installed`)
    this.name = 'MissingPackage'
    this.packageName = packageName
  }
}

import { definitions, stepsOf } from '../../src-main/core/features/programs/programs.ts'
import {
  isLibrary,
  setups as known,
  type Setup,
  type SetupStep,
} from '../../src-renderer/features/proxy/setups/index.ts'
import type { Facts } from '../../src-renderer/features/proxy/setups/setup.ts'

export type { Facts }
/** A set-up with its texts, as the page shows them. */
export type TextSetup = Omit<Setup, 'steps'> & { steps(facts: Facts): SetupStep[] }

/** What is assumed about a model of which nothing is known. */
const unknownModel = { context: 128_000, output: 32_000, images: true, tools: false }
const machine = { platform: 'linux', home: '~', env: {} } as const

/** All set-ups: texts of programs from the core, those of libraries from the page. */
export const setups: TextSetup[] = known.map((setup) => ({
  ...setup,
  steps(facts) {
    if (isLibrary(setup)) return setup.steps(facts).map((step) => ({ ...step, file: null }))
    const definition = definitions.find(({ id }) => id === setup.id)
    if (!definition) throw new Error(`${setup.id} has no definition.`)
    return stepsOf(
      definition,
      { ...facts, ...unknownModel },
      definition.files.map(({ paths }) => paths(machine)[0] ?? ''),
    )
  },
}))

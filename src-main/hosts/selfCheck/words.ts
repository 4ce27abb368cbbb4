import { selfCheck } from '../../../src-renderer/i18n/en/selfCheck.ts'
import { type NoteMaker, noteMaker } from '../../../src-renderer/i18n/noteText.ts'

/** A sentence of the check of the installation. */
export const words = noteMaker('selfCheck', selfCheck) as NoteMaker<typeof selfCheck>

import { problemOf } from '../../api/problem.ts'
import { i18n } from '../../i18n/index.ts'
import { say } from './client.ts'
import { addFiles } from './files.ts'

/** Two sentences by a synthetic voice (Flite), to try the page without a recording. */
export async function tryExample(): Promise<void> {
  try {
    const reply = await fetch(new URL('./example.ogg', import.meta.url))
    if (!reply.ok) throw new Error(`The example could not be read (${reply.status}).`)
    addFiles([new File([await reply.blob()], i18n.t('transcribe:exampleName'), { type: 'audio/ogg' })])
  } catch (thrown) {
    say('refused', problemOf(thrown).message)
  }
}

import { createFeatureClient } from '../../shared/featureClient.ts'
import { showToast } from '../../shared/toasts.ts'
import type { ToastNote } from '../../stores/app.ts'

/** Shows a toast of this page. A toast with the same name replaces the earlier one. */
export const say = (name: string, text: string, action?: ToastNote['action']): void =>
  showToast({ id: `usage-${name}`, text, ...(action && { action }) })

/** `attempt` shows a failed call as a toast. */
export const { client, setClient, attempt } = createFeatureClient(({ message }) => say('refused', message))

import { appStore, type ToastNote, withToast } from '../stores/app.ts'

/** Shows a note that disappears by itself. A note with the same id replaces the earlier one. */
export const showToast = (toast: ToastNote): void => appStore.setState(withToast(appStore.getState(), toast))

import { type FormEvent, type RefObject, useState } from 'react'
import type { AppSettings } from '../../../src-preload/contract/apps.ts'
import { useFirstInvalid } from '../../shared/useCall.ts'
import { type AppForm, type FormErrors, readForm } from './form.ts'
import { isIncomplete } from './modelMapForm.ts'

interface AppFormState {
  form: AppForm
  errors: FormErrors
  hasErrors: boolean
  change: (change: Partial<AppForm>) => void
  /** Returns the typed settings. On an error, focuses the field and returns null. */
  read: () => AppSettings | null
  /** Whether every rule of the model map is complete. If not, focuses the first that is not. */
  checkModelMap: () => boolean
  element: RefObject<HTMLFormElement | null>
}

/**
 * The fields of an app's form with their errors.
 * @param before the current expiry of the app, which is valid even when it has passed
 */
export function useAppForm(first: () => AppForm, before: string | null): AppFormState {
  const [form, setForm] = useState(first)
  const [errors, setErrors] = useState<FormErrors>({})
  const element = useFirstInvalid<HTMLFormElement>(errors)
  return {
    form,
    errors,
    hasErrors: Object.keys(errors).length > 0,
    element,
    change: (change) => {
      setForm((shown) => ({ ...shown, ...change }))
      // An edited field has no error until the next check.
      setErrors((shown) => {
        const changed = [...Object.keys(change), ...('anyModel' in change ? ['models'] : [])]
        if ('anyEndpoint' in change) changed.push('endpoints')
        return Object.fromEntries(Object.entries(shown).filter(([field]) => !changed.includes(field)))
      })
    },
    checkModelMap: () => {
      const isComplete = !form.modelMap.some(isIncomplete)
      setErrors(isComplete ? {} : { modelMap: 'modelMap' })
      return isComplete
    },
    read: () => {
      const { settings, errors: found } = readForm(form, Date.now(), before)
      setErrors(found ?? {})
      return settings
    },
  }
}

/** Runs `submit` instead of the browser's form submission, which would leave the page. */
export const submitting = (submit: () => void) => (event: FormEvent) => {
  event.preventDefault()
  submit()
}

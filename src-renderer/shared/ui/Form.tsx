import type { FormHTMLAttributes, Ref } from 'react'

export interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  onSubmit: () => unknown
  ref?: Ref<HTMLFormElement>
}

/** A form that calls a function when it is submitted, and never loads a page. */
export function Form({ onSubmit, ...props }: FormProps) {
  return (
    <form
      {...props}
      onSubmit={(event) => {
        event.preventDefault()
        void onSubmit()
      }}
    />
  )
}

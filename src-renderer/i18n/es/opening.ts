/** Texts of the page that replaces the window while the data is checked, repaired or updated at start-up. */
export const opening = {
  starting: 'Preparando tus datos…',
  checking: {
    studio: 'Comprobando tus chats y archivos multimedia…',
    ledger: 'Comprobando el registro de solicitudes…',
    bodies: 'Comprobando las solicitudes registradas…',
    account: 'Comprobando los datos de cuentas…',
  },
  mending: {
    studio: 'Reparando tus chats y archivos multimedia…',
    ledger: 'Reparando el registro de solicitudes…',
    bodies: 'Reparando las solicitudes registradas…',
    account: 'Reparando los datos de cuentas…',
  },
  updating: {
    studio: 'Actualizando tus chats y archivos multimedia…',
    ledger: 'Actualizando el registro de solicitudes…',
    bodies: 'Actualizando las solicitudes registradas…',
    account: 'Actualizando los datos de cuentas…',
  },
  waiting: {
    studio: 'En espera: otro programa ha bloqueado tus chats y archivos multimedia',
    ledger: 'En espera: otro programa ha bloqueado el registro de solicitudes',
    bodies: 'En espera: otro programa ha bloqueado las solicitudes registradas',
    account: 'En espera: otro programa ha bloqueado los datos de cuentas',
  },
  rows_one: '{{shown}} fila recuperada hasta ahora',
  rows_many: '{{shown}} de filas recuperadas hasta ahora',
  rows_other: '{{shown}} filas recuperadas hasta ahora',
  about: {
    starting: 'Inference Studio se abre aquí automáticamente.',
    checking:
      'La última vez, Inference Studio no se cerró correctamente, así que ahora se comprueban todos los datos. Se abre aquí automáticamente.',
    mending:
      'Este archivo estaba dañado. Inference Studio recupera lo que puede y conserva el archivo dañado. Se abre aquí automáticamente con un informe.',
    updating: 'Esto ocurre una sola vez. Inference Studio se abre aquí automáticamente.',
    waiting:
      'Un explorador de bases de datos, un programa de copias de seguridad u otro comando está usando el archivo. Ciérralo allí. Inference Studio se abre aquí automáticamente.',
  },
  inProgress: 'En curso',
  stopped: 'Inference Studio se ha detenido.',
  stoppedAbout: 'Consulta el motivo en el terminal. Inícialo allí de nuevo y abre la dirección que aparece.',
}

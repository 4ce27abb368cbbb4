const mayHaveWorked = 'Puede que el primer intento ya haya causado trabajo y coste.'

/** One entry for every kind. No text may say that nothing was charged. */
const kinds = {
  invalid_request: {
    title: 'El servicio rechazó esta solicitud',
    meaning: 'La solicitud no es válida para este modelo (400). Cámbiala antes de volver a intentarlo.',
    action: 'Editar',
  },
  unauthorized: {
    title: 'El servicio rechazó esta clave de API',
    meaning: 'La clave de API no es válida (401). Compruébala en Ajustes.',
    action: 'Comprobar clave',
  },
  insufficient_credits: {
    title: 'No hay créditos suficientes',
    meaning:
      'La cuenta no tiene SC suficientes para esta solicitud (402). Añade créditos donde abriste la cuenta e inténtalo de nuevo.',
    action: 'Reintentar',
  },
  forbidden: {
    title: 'Sin permiso',
    meaning: 'La clave de API no tiene permiso para esto (403). Usa otra clave o consulta a quien gestiona tu cuenta.',
    action: 'Cambiar clave',
  },
  not_found: {
    title: 'Modelo o dirección no encontrados',
    meaning:
      'El servicio no conoce este modelo o esta dirección (404). Elige otro modelo o comprueba la URL base en Ajustes.',
    action: 'Comprobar dirección',
  },
  rate_limited: {
    title: 'Demasiadas solicitudes',
    meaning: 'Se alcanzó un límite de frecuencia o de capacidad (429). Espera un momento e inténtalo de nuevo.',
    action: 'Reintentar',
  },
  internal: {
    title: 'Error del servicio',
    meaning: `El servicio comunicó un error interno (500). La solicitud no se reintentó automáticamente. ${mayHaveWorked}`,
    action: 'Reintentar',
  },
  not_implemented: {
    title: 'El servicio no lo admite',
    meaning: 'El servicio no ofrece esta función (501). Usa Chat en su lugar.',
    action: 'Abrir Chat',
  },
  bad_gateway: {
    title: 'El servicio no pudo conectar con su modelo',
    meaning: `El servicio tuvo un error de enrutamiento o de un servidor posterior (502). ${mayHaveWorked}`,
    action: 'Reintentar',
  },
  unavailable: {
    title: 'El servicio no está disponible',
    meaning: `El servicio pide intentarlo más tarde (503). ${mayHaveWorked}`,
    action: 'Reintentar',
  },
  gateway_timeout: {
    title: 'El modelo tardó demasiado',
    meaning: `El servicio dejó de esperar al modelo (504). ${mayHaveWorked}`,
    action: 'Reintentar',
  },
  unexpected_status: {
    title: 'Respuesta inesperada',
    meaning: 'El servicio respondió con un estado que este programa no esperaba.',
    action: 'Reintentar',
  },
  connect_failed: {
    title: 'No se puede conectar con el servicio',
    meaning: 'Nada responde en esta dirección. Comprueba la dirección y tu red.',
    action: 'Comprobar dirección',
  },
  connect_timeout: {
    title: 'La conexión tardó demasiado',
    meaning: 'La dirección no aceptó la conexión. Puede que tu red sea lenta o que un cortafuegos la bloquee.',
    action: 'Reintentar',
  },
  tls_failed: {
    title: 'Sin conexión segura',
    meaning: 'No se pudo verificar el certificado del servicio. No se envió nada. Comprueba la dirección.',
    action: 'Comprobar dirección',
  },
  headers_timeout: {
    title: 'No hubo respuesta a tiempo',
    meaning: 'La solicitud se envió, pero no empezó ninguna respuesta. Puede que se te cobre.',
    action: 'Reintentar',
  },
  idle_timeout: {
    title: 'La respuesta se detuvo',
    meaning: 'No llegó más texto. Reintentar pide una respuesta nueva, que vuelve a tener coste.',
    action: 'Reintentar',
  },
  connection_lost: {
    title: 'Se perdió la conexión',
    meaning: 'La conexión terminó antes de que la respuesta estuviera completa. Puede que se te cobre.',
    action: 'Reintentar',
  },
  malformed_reply: {
    title: 'Respuesta ilegible',
    meaning:
      'La respuesta no corresponde a su tipo de contenido. Puede que el servicio tenga un error o que esta no sea la dirección del servicio.',
    action: 'Reintentar',
  },
  incomplete_stream: {
    title: 'La respuesta está incompleta',
    meaning:
      'La respuesta terminó sin motivo de finalización. Reintentar pide una respuesta nueva, que vuelve a tener coste.',
    action: 'Reintentar',
  },
  foreign_address: {
    title: 'Dirección bloqueada',
    meaning: 'El servicio indicó un archivo fuera de su URL base. Tu clave no se envía allí.',
    action: 'Comprobar dirección',
  },
  cancelled: {
    title: 'Detenida',
    meaning: 'La solicitud se canceló. No se reintenta automáticamente.',
    action: 'Reintentar',
  },
  would_wait: {
    title: 'No enviada: tendría que esperar',
    meaning: 'La cola está ocupada y esta app pidió no esperar. La solicitud no se envió.',
    action: 'Reintentar',
  },
  queue_full: {
    title: 'Cola llena',
    meaning: 'Hay demasiadas solicitudes en espera. Esta no se envió. Espera a que terminen algunas.',
    action: 'Reintentar',
  },
  queue_timeout: {
    title: 'Demasiado tiempo en cola',
    meaning: 'La solicitud esperó demasiado en la cola y no se envió.',
    action: 'Reintentar',
  },
  bad_input: {
    title: 'Comprueba lo que has introducido',
    meaning: 'Falta un valor o no es válido. Corrígelo e inténtalo de nuevo.',
    action: 'Editar',
  },
  not_connected: {
    title: 'Sin conexión',
    meaning: 'No hay ninguna conexión o falta su clave de API. Conéctate en Ajustes.',
    action: 'Conectar',
  },
  connection_changed: {
    title: 'La conexión cambió',
    meaning:
      'La solicitud no se envió, porque antes cambió la conexión. Inténtalo de nuevo para usar la conexión nueva.',
    action: 'Reintentar',
  },
  keychain_missing: {
    title: 'Este equipo no tiene llavero',
    meaning: 'La clave no se puede guardar. Solo se puede usar en esta sesión.',
    action: 'Abrir Ajustes',
  },
  keychain_locked: {
    title: 'El llavero está bloqueado',
    meaning: 'Desbloquea el llavero en tu sistema y comprueba de nuevo.',
    action: 'Comprobar de nuevo',
  },
  no_such_item: {
    title: 'No encontrado',
    meaning: 'Se eliminó, aquí o en otra ventana.',
    action: 'Abrir Chat',
  },
  busy: {
    title: 'Ya está en curso',
    meaning: 'Ya se está haciendo la misma operación. Espera a que termine.',
    action: 'Reintentar',
  },
  folder_in_use: {
    title: 'La carpeta de datos está en uso',
    meaning: 'Otro Inference Studio la está usando. Cierra antes el otro.',
    action: 'Recargar',
  },
  store_newer: {
    title: 'Los datos son de una versión más reciente',
    meaning:
      'Una versión más reciente de Inference Studio escribió estos datos. Actualiza Inference Studio. No se ha cambiado nada.',
    action: 'Copiar detalles',
  },
  store_damaged: {
    title: 'No se pueden leer los datos',
    meaning: 'La base de datos está dañada. Haz antes una copia de la carpeta de datos.',
    action: 'Mostrar carpeta',
  },
  disk_full: {
    title: 'El disco está lleno',
    meaning: 'No se puede guardar nada más. Libera espacio e inténtalo de nuevo.',
    action: 'Mostrar carpeta',
  },
  not_writable: {
    title: 'Sin permiso de escritura',
    meaning:
      'Inference Studio no puede escribir en esta carpeta. Da permiso de escritura a tu cuenta de usuario e inténtalo de nuevo.',
    action: 'Mostrar carpeta',
  },
  too_many_open_files: {
    title: 'Demasiados archivos abiertos',
    meaning: 'Inference Studio no puede abrir más archivos ahora. Cierra otros programas e inténtalo de nuevo.',
    action: 'Reintentar',
  },
  database_locked: {
    title: 'La base de datos está bloqueada',
    meaning:
      'La ha bloqueado otro programa, como un explorador de bases de datos. Cierra ese programa e inténtalo de nuevo.',
    action: 'Reintentar',
  },
  port_taken: {
    title: 'El puerto está en uso',
    meaning: 'Otro programa usa este puerto. Elige otro en Ajustes.',
    action: 'Cambiar puerto',
  },
  bug: {
    title: 'Error interno',
    meaning: 'Algo falló en Inference Studio, no en el servicio. Los detalles ayudan a encontrar la causa.',
    action: 'Copiar detalles',
  },
}

/** Replaces `meaning` on the Settings page, for kinds whose general text refers to Settings. */
const inSettings = {
  unauthorized: 'La clave de API no es válida (401). Vuelve a introducirla o usa otra.',
  not_found: 'El servicio no conoce este modelo o esta dirección (404). Comprueba la URL base.',
  not_connected: 'No hay ninguna conexión o falta su clave de API.',
  port_taken: 'Otro programa usa este puerto. Elige otro.',
}

/** Texts for `unexpected_status`, by what the status calls for. */
const statuses = {
  informational: {
    title: 'Sin respuesta final',
    meaning: `El servicio envió una respuesta provisional, pero ninguna final ({{status}}). ${mayHaveWorked}`,
  },
  empty: {
    title: 'Respuesta sin contenido',
    meaning: 'El servicio respondió sin el contenido esperado ({{status}}).',
  },
  redirect: {
    title: 'El servicio redirige a otro sitio',
    meaning:
      'El servicio respondió con una redirección ({{status}}). La clave no se envía a otro sitio: comprueba la URL base.',
  },
  method: {
    title: 'No es posible en esta dirección',
    meaning:
      'El servicio no acepta este tipo de solicitud en esta dirección ({{status}}). Comprueba la URL base en Ajustes.',
  },
  format: {
    title: 'Formato no aceptado',
    meaning: 'El servicio no acepta el formato de esta solicitud ({{status}}). Usa otro formato.',
  },
  proxy: {
    title: 'La red pide iniciar sesión',
    meaning:
      'Una red o un proxy entre este equipo y el servicio pide iniciar sesión ({{status}}). Inicia sesión en la red e inténtalo de nuevo.',
  },
  timeout: {
    title: 'La solicitud tardó demasiado en llegar',
    meaning:
      'El servicio no recibió a tiempo la solicitud completa ({{status}}). Comprueba tu red e inténtalo de nuevo.',
  },
  conflict: {
    title: 'Conflicto en el servicio',
    meaning:
      'El servicio comunicó un conflicto con otra solicitud o con su estado actual ({{status}}). Inténtalo de nuevo dentro de un momento.',
  },
  gone: {
    title: 'Ya no está disponible',
    meaning:
      'Esta dirección o este modelo ya no existe en el servicio ({{status}}). Elige otro modelo o comprueba la URL base en Ajustes.',
  },
  length: {
    title: 'Falta la longitud',
    meaning: 'El servicio necesita saber la longitud de una solicitud antes de que llegue ({{status}}).',
  },
  tooLarge: {
    title: 'Demasiado grande para el servicio',
    meaning:
      'La solicitud es mayor de lo que acepta el servicio ({{status}}). Redúcela o divídela antes de volver a intentarlo.',
  },
  addressTooLong: {
    title: 'Dirección demasiado larga',
    meaning: 'La dirección de la solicitud es más larga de lo que acepta el servicio ({{status}}).',
  },
  range: {
    title: 'Parte no disponible',
    meaning: 'El servicio no tiene la parte solicitada del archivo ({{status}}).',
  },
  unprocessable: {
    title: 'El servicio no puede procesar esta solicitud',
    meaning:
      'El servicio entendió la solicitud, pero no puede procesarla ({{status}}). Cámbiala antes de volver a intentarlo.',
  },
  joke: {
    title: 'El servicio rechazó esta solicitud',
    meaning: 'El servicio rechazó la solicitud: «Soy una tetera» ({{status}}).',
  },
  wrongHost: {
    title: 'Servidor equivocado',
    meaning:
      'La solicitud llegó a un servidor que no es responsable de esta dirección ({{status}}). Comprueba la URL base en Ajustes.',
  },
  early: {
    title: 'Demasiado pronto',
    meaning: 'El servicio aún no quiere procesar la solicitud ({{status}}). Inténtalo de nuevo dentro de un momento.',
  },
  upgrade: {
    title: 'Se necesita otro protocolo',
    meaning:
      'El servicio pide otro protocolo o una versión más reciente ({{status}}). Comprueba la URL base en Ajustes.',
  },
  headersTooLarge: {
    title: 'Encabezados demasiado grandes',
    meaning: 'Los encabezados de la solicitud son mayores de lo que acepta el servicio ({{status}}).',
  },
  legal: {
    title: 'No disponible por motivos legales',
    meaning: 'El servicio no puede responder a esta solicitud por motivos legales ({{status}}).',
  },
  client: {
    title: 'El servicio rechazó esta solicitud',
    meaning: 'El servicio rechazó la solicitud ({{status}}). Cámbiala antes de volver a intentarlo.',
  },
  storage: {
    title: 'El servicio no tiene espacio',
    meaning: 'Al servicio no le queda espacio para esta solicitud ({{status}}). Inténtalo más tarde.',
  },
  unreachable: {
    title: 'No se puede conectar con el servicio',
    meaning: `Una pasarela no pudo conectar con el servicio ({{status}}). ${mayHaveWorked}`,
  },
  server: {
    title: 'Error del servicio',
    meaning: `El servicio comunicó un error ({{status}}). ${mayHaveWorked}`,
  },
  unassigned: {
    title: 'Estado desconocido',
    meaning: 'El servicio respondió con un estado que HTTP no define ({{status}}).',
  },
}

export const problems = {
  storage: {
    title: 'No se pueden guardar los cambios',
    meaning: 'Puede que hasta entonces no se guarden las respuestas nuevas.',
    action: 'Reintentar',
  },
  kinds,
  statuses,
  inSettings,
  said: 'El servicio dice: «{{message}}»',
  wait: 'El servicio pide esperar {{seconds}} s.',
  kept: 'La respuesta está incompleta. Lo que llegó está guardado.',
  facts: {},
}

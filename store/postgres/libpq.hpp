#pragma once

#include <libpq-fe.h>

// The functions of libpq that we use.
#define STEADFAST_LIBPQ(X)                                                                                             \
  X(clear)                                                                                                             \
  X(connectPoll)                                                                                                       \
  X(connectStartParams)                                                                                                \
  X(conninfoFree)                                                                                                      \
  X(conninfoParse)                                                                                                     \
  X(consumeInput)                                                                                                      \
  X(enterPipelineMode)                                                                                                 \
  X(errorMessage)                                                                                                      \
  X(finish)                                                                                                            \
  X(flush)                                                                                                             \
  X(freemem)                                                                                                           \
  X(getResult)                                                                                                         \
  X(getisnull)                                                                                                         \
  X(getlength)                                                                                                         \
  X(getvalue)                                                                                                          \
  X(isBusy)                                                                                                            \
  X(ntuples)                                                                                                           \
  X(pass)                                                                                                              \
  X(pipelineSync)                                                                                                      \
  X(resultErrorField)                                                                                                  \
  X(resultStatus)                                                                                                      \
  X(sendQueryParams)                                                                                                   \
  X(setNoticeReceiver)                                                                                                 \
  X(setnonblocking)                                                                                                    \
  X(socket)                                                                                                            \
  X(status)

namespace steadfast::store::postgres {

/// Functions of libpq, without the PQ in their names.
struct libpq_functions {
#define STEADFAST_DECLARE(name) decltype(&::PQ##name) name = nullptr;
  STEADFAST_LIBPQ(STEADFAST_DECLARE)
#undef STEADFAST_DECLARE
};

/// Loads libpq when it is first called: with the LDAP and Kerberos libraries that it needs, it takes a tenth of the
/// memory of a node, and most nodes have their store in files. Throws store_error, which names what is missing.
const libpq_functions& libpq();

} // namespace steadfast::store::postgres

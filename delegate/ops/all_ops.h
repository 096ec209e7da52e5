// Every op's header, for the registry.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ALL_OPS_H_
#define GLES_DELEGATE_DELEGATE_OPS_ALL_OPS_H_

#endif  // GLES_DELEGATE_DELEGATE_OPS_ALL_OPS_H_

"""The time that uvicorn and grpc.aio need for a request: servers that run no model.

    stack.py HTTP_PORT GRPC_PORT BYTES

Over HTTP a request is read and answered with BYTES bytes by the bare ASGI interface, over gRPC by
kserve's messages and grpc.aio's own handlers, on the event loop that gles-serving takes and with
what it has malloc keep.
"""

import asyncio
import sys

import grpc
import uvicorn
import uvloop
from kserve.protocol.grpc import grpc_predict_v2_pb2 as pb

from gles_serving import memory


def app_of(answer):
    """An ASGI app."""
    headers = [(b"content-length", str(len(answer)).encode())]

    async def app(scope, receive, send):
        if scope["type"] != "http":
            return
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})
    return app


async def serve(http_port, grpc_port, answer):
    """Both servers, for ever."""
    async def infer(request, context):
        del request, context
        return pb.ModelInferResponse(model_name="m", raw_output_contents=[answer])

    server = grpc.aio.server(options=[("grpc.max_receive_message_length", 64 << 20)])
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(
        "inference.GRPCInferenceService", {"ModelInfer": grpc.unary_unary_rpc_method_handler(
            infer, pb.ModelInferRequest.FromString, pb.ModelInferResponse.SerializeToString)})])
    server.add_insecure_port(f"127.0.0.1:{grpc_port}")
    await server.start()
    await uvicorn.Server(uvicorn.Config(app_of(answer), port=http_port, log_config=None,
                                        timeout_keep_alive=600)).serve()


if __name__ == "__main__":
    memory.keep_freed()
    uvloop.run(serve(int(sys.argv[1]), int(sys.argv[2]), bytes(int(sys.argv[3]))))

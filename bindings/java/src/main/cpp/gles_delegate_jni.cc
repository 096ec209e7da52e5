// The native half of org.gles_delegate.GlesDelegate. Texts travel as bytes of
// UTF-8: JNI's own strings are of another encoding.
#include <jni.h>

#include <cstring>
#include <string>
#include <vector>

#include "gles_delegate/gles_delegate.h"

namespace {

jbyteArray BytesOf(JNIEnv* env, const char* text) {
  if (text == nullptr) text = "";
  const auto size = static_cast<jsize>(std::strlen(text));
  jbyteArray bytes = env->NewByteArray(size);
  if (bytes != nullptr) {
    env->SetByteArrayRegion(bytes, 0, size,
                            reinterpret_cast<const jbyte*>(text));
  }
  return bytes;  // null: an OutOfMemoryError is on its way
}

std::string TextAt(JNIEnv* env, jobjectArray texts, jsize index) {
  auto bytes =
      static_cast<jbyteArray>(env->GetObjectArrayElement(texts, index));
  std::string text(env->GetArrayLength(bytes), '\0');
  env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(text.size()),
                          reinterpret_cast<jbyte*>(&text[0]));
  env->DeleteLocalRef(bytes);
  return text;
}

TfLiteDelegate* DelegateAt(jlong handle) {
  return reinterpret_cast<TfLiteDelegate*>(handle);
}

}  // namespace

extern "C" {

JNIEXPORT jlong JNICALL Java_org_gles_1delegate_GlesDelegate_nativeCreate(
    JNIEnv* env, jclass, jobjectArray keys_and_values) {
  std::vector<std::string> texts;
  const jsize count = env->GetArrayLength(keys_and_values);
  for (jsize i = 0; i < count; ++i) {
    texts.push_back(TextAt(env, keys_and_values, i));
  }
  std::vector<char*> keys, values;
  for (size_t i = 0; i + 1 < texts.size(); i += 2) {
    keys.push_back(&texts[i][0]);
    values.push_back(&texts[i + 1][0]);
  }
  // Without a function for the error, the delegate would be one that fails.
  TfLiteDelegate* const delegate = tflite_plugin_create_delegate(
      keys.data(), values.data(), keys.size(), [](const char*) {});
  if (delegate == nullptr) {
    env->ThrowNew(env->FindClass("java/lang/IllegalArgumentException"),
                  TfLiteGlesDelegateLastError());
  }
  return reinterpret_cast<jlong>(delegate);
}

JNIEXPORT void JNICALL Java_org_gles_1delegate_GlesDelegate_nativeDelete(
    JNIEnv*, jclass, jlong handle) {
  TfLiteGlesDelegateDelete(DelegateAt(handle));
}

JNIEXPORT jbyteArray JNICALL Java_org_gles_1delegate_GlesDelegate_nativeReport(
    JNIEnv* env, jclass, jlong handle) {
  return BytesOf(env, TfLiteGlesDelegateReport(DelegateAt(handle)));
}

JNIEXPORT jbyteArray JNICALL
Java_org_gles_1delegate_GlesDelegate_nativeVersion(JNIEnv* env, jclass) {
  return BytesOf(env, TfLiteGlesDelegateVersion());
}

JNIEXPORT jbyteArray JNICALL
Java_org_gles_1delegate_GlesDelegate_nativeDevices(JNIEnv* env, jclass) {
  return BytesOf(env, TfLiteGlesDelegateDevices());
}

JNIEXPORT jbyteArray JNICALL
Java_org_gles_1delegate_GlesDelegate_nativeWhyUnsupported(JNIEnv* env, jclass) {
  const bool supported = TfLiteGlesDelegateIsSupported(nullptr) != 0;
  return BytesOf(env, supported ? "" : TfLiteGlesDelegateLastError());
}

JNIEXPORT jbyteArray JNICALL
Java_org_gles_1delegate_GlesDelegate_nativeBestOptions(JNIEnv* env, jclass) {
  return BytesOf(env, TfLiteGlesDelegateBestOptionsText());
}

}  // extern "C"

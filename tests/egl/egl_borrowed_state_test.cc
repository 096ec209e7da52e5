// labels: egl delegate llvmpipe softpipe
// A borrowed context looks to the app as if no one had used it.
#include <algorithm>
#include <map>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "egl/context.h"
#include "egl/objects.h"
#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Buffer;
using ::gles_delegate::egl::CheckGl;
using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::gl;
using ::gles_delegate::egl::Program;
using ::gles_delegate::egl::Texture;

// Every state that GlState promises to restore, by name. Written apart from
// GlState, with its own numbers, so that a line forgotten there shows here.
using Snapshot = std::map<std::string, GLint64>;

int Count(GLenum limit) {
  GLint count = 0;
  gl().GetIntegerv(limit, &count);
  return count;
}

void AddIndexed(const char* name, GLenum query, int count, Snapshot* out) {
  for (int i = 0; i < count; ++i) {
    GLint64 value = -1;
    gl().GetInteger64i_v(query, i, &value);
    (*out)[absl::StrCat(name, "[", i, "]")] = value;
  }
}

Snapshot TakeSnapshot() {
  Snapshot all;
  auto add = [&all](const char* name, GLenum query) {
    GLint value = -1;
    gl().GetIntegerv(query, &value);
    all[name] = value;
  };
  add("program", GL_CURRENT_PROGRAM);
  add("active unit", GL_ACTIVE_TEXTURE);
  add("draw framebuffer", GL_DRAW_FRAMEBUFFER_BINDING);
  add("read framebuffer", GL_READ_FRAMEBUFFER_BINDING);
  add("pack buffer", GL_PIXEL_PACK_BUFFER_BINDING);
  add("unpack buffer", GL_PIXEL_UNPACK_BUFFER_BINDING);
  add("copy read buffer", GL_COPY_READ_BUFFER_BINDING);
  add("copy write buffer", GL_COPY_WRITE_BUFFER_BINDING);
  add("indirect buffer", GL_DISPATCH_INDIRECT_BUFFER_BINDING);
  add("storage buffer", GL_SHADER_STORAGE_BUFFER_BINDING);
  add("uniform buffer", GL_UNIFORM_BUFFER_BINDING);
  add("unpack alignment", GL_UNPACK_ALIGNMENT);
  add("unpack row length", GL_UNPACK_ROW_LENGTH);
  add("unpack image height", GL_UNPACK_IMAGE_HEIGHT);
  add("unpack skip pixels", GL_UNPACK_SKIP_PIXELS);
  add("unpack skip rows", GL_UNPACK_SKIP_ROWS);
  add("unpack skip images", GL_UNPACK_SKIP_IMAGES);
  add("pack alignment", GL_PACK_ALIGNMENT);
  add("pack row length", GL_PACK_ROW_LENGTH);
  add("pack skip pixels", GL_PACK_SKIP_PIXELS);
  add("pack skip rows", GL_PACK_SKIP_ROWS);
  // All that the device has, not what is saved.
  const int storage = Count(GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS);
  AddIndexed("storage buffer", GL_SHADER_STORAGE_BUFFER_BINDING, storage, &all);
  AddIndexed("storage start", GL_SHADER_STORAGE_BUFFER_START, storage, &all);
  AddIndexed("storage size", GL_SHADER_STORAGE_BUFFER_SIZE, storage, &all);
  const int uniform = Count(GL_MAX_UNIFORM_BUFFER_BINDINGS);
  AddIndexed("uniform buffer", GL_UNIFORM_BUFFER_BINDING, uniform, &all);
  AddIndexed("uniform start", GL_UNIFORM_BUFFER_START, uniform, &all);
  AddIndexed("uniform size", GL_UNIFORM_BUFFER_SIZE, uniform, &all);
  const int images = Count(GL_MAX_IMAGE_UNITS);
  AddIndexed("image name", GL_IMAGE_BINDING_NAME, images, &all);
  AddIndexed("image level", GL_IMAGE_BINDING_LEVEL, images, &all);
  AddIndexed("image layered", GL_IMAGE_BINDING_LAYERED, images, &all);
  AddIndexed("image layer", GL_IMAGE_BINDING_LAYER, images, &all);
  AddIndexed("image access", GL_IMAGE_BINDING_ACCESS, images, &all);
  AddIndexed("image format", GL_IMAGE_BINDING_FORMAT, images, &all);
  for (int unit = 0; unit < Count(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS);
       ++unit) {
    gl().ActiveTexture(GL_TEXTURE0 + unit);
    add(absl::StrCat("2d texture of unit ", unit).c_str(),
        GL_TEXTURE_BINDING_2D);
    add(absl::StrCat("array texture of unit ", unit).c_str(),
        GL_TEXTURE_BINDING_2D_ARRAY);
    add(absl::StrCat("sampler of unit ", unit).c_str(), GL_SAMPLER_BINDING);
  }
  gl().ActiveTexture(static_cast<GLenum>(all["active unit"]));
  return all;
}

constexpr char kDouble[] = R"(#version 310 es
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Data { uint value; };
void main() { value *= 2u; }
)";

// State that an app might have set: `seed` tells one set from another.
struct Objects {
  Program program;
  Buffer buffers[3];
  Texture flat, array;
  GLuint sampler = 0;
  GLuint framebuffer = 0;

  Objects() {
    program = Program::Compile(kDouble, "double").value();
    for (Buffer& buffer : buffers) {
      buffer = Buffer::Create(4096, nullptr, GL_DYNAMIC_COPY).value();
    }
    flat = Texture::Create({GL_TEXTURE_2D, GL_RGBA32F, 4, 4, 1}).value();
    array = Texture::Create({GL_TEXTURE_2D_ARRAY, GL_RGBA16F, 4, 4, 3}).value();
    gl().GenSamplers(1, &sampler);
    gl().GenFramebuffers(1, &framebuffer);
  }
  ~Objects() {
    gl().DeleteSamplers(1, &sampler);
    gl().DeleteFramebuffers(1, &framebuffer);
  }
};

void BindBuffers(const Objects& objects, int shift) {
  const GLuint ids[] = {objects.buffers[shift % 3].id(),
                        objects.buffers[(shift + 1) % 3].id(),
                        objects.buffers[(shift + 2) % 3].id()};
  // The app has something everywhere; the delegate goes where it may.
  const int storage =
      shift == 0 ? Count(GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS)
                 : std::min(egl::kStorageBuffers,
                            Count(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS));
  for (int i = 0; i < storage; ++i) {
    gl().BindBufferRange(GL_SHADER_STORAGE_BUFFER, i, ids[i % 3],
                         256 * (i % 8 + shift), 16 * (i + 1));
  }
  gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, ids[0]);
  const int uniform =
      shift == 0 ? Count(GL_MAX_UNIFORM_BUFFER_BINDINGS) : egl::kUniformBuffers;
  for (int i = 0; i < uniform; i += 2) {
    gl().BindBufferRange(GL_UNIFORM_BUFFER, i, ids[i % 3], 256 * (1 + shift),
                         64);
  }
  if (shift == 0) gl().BindBufferBase(GL_UNIFORM_BUFFER, 3, ids[1]);
  gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, ids[2]);
  gl().BindBuffer(GL_UNIFORM_BUFFER, ids[0]);
  gl().BindBuffer(GL_COPY_READ_BUFFER, ids[1]);
  gl().BindBuffer(GL_COPY_WRITE_BUFFER, ids[2]);
  gl().BindBuffer(GL_PIXEL_PACK_BUFFER, ids[0]);
  gl().BindBuffer(GL_PIXEL_UNPACK_BUFFER, ids[1]);
  gl().BindBuffer(GL_DISPATCH_INDIRECT_BUFFER, ids[2]);
}

// Sets everything that is restored to something that is not the default.
void Disturb(const Objects& objects, int shift) {
  gl().UseProgram(objects.program.id());
  BindBuffers(objects, shift);
  const int units = shift == 0 ? Count(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS)
                               : egl::kTextureUnits;
  for (int unit = 0; unit < units; unit += 1 + shift) {
    gl().ActiveTexture(GL_TEXTURE0 + unit);
    gl().BindTexture(GL_TEXTURE_2D, objects.flat.id());
    gl().BindTexture(GL_TEXTURE_2D_ARRAY, objects.array.id());
    gl().BindSampler(unit, objects.sampler);
  }
  gl().ActiveTexture(GL_TEXTURE5 + shift);
  const int images =
      shift == 0
          ? Count(GL_MAX_IMAGE_UNITS)
          : std::min(egl::kImageUnits, Count(GL_MAX_COMPUTE_IMAGE_UNIFORMS));
  for (int unit = 0; unit < images; ++unit) {
    switch ((unit + shift) % 4) {
      case 0:
        gl().BindImageTexture(unit, objects.flat.id(), 0, GL_FALSE, 0,
                              GL_WRITE_ONLY, GL_RGBA32F);
        break;
      case 1:
        gl().BindImageTexture(unit, objects.array.id(), 0, GL_TRUE, 0,
                              GL_READ_ONLY, GL_RGBA16F);
        break;
      case 2:
        gl().BindImageTexture(unit, objects.array.id(), 0, GL_FALSE, 1 + shift,
                              GL_WRITE_ONLY, GL_RGBA16F);
        break;
      default:  // nothing is bound
        break;
    }
  }
  const GLenum stores[] = {GL_UNPACK_ROW_LENGTH,  GL_UNPACK_IMAGE_HEIGHT,
                           GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_ROWS,
                           GL_UNPACK_SKIP_IMAGES, GL_PACK_ROW_LENGTH,
                           GL_PACK_SKIP_PIXELS,   GL_PACK_SKIP_ROWS};
  for (int i = 0; i < 8; ++i) gl().PixelStorei(stores[i], 1 + i + shift);
  gl().PixelStorei(GL_UNPACK_ALIGNMENT, 2);
  gl().PixelStorei(GL_PACK_ALIGNMENT, 8);
  gl().BindFramebuffer(GL_READ_FRAMEBUFFER, objects.framebuffer);
  if (shift > 0) gl().BindFramebuffer(GL_DRAW_FRAMEBUFFER, objects.framebuffer);
}

// Runs `fn` in an app's context, current as an app leaves it.
void InApp(absl::FunctionRef<absl::Status()> fn) {
  const std::unique_ptr<Context> app = Context::Create({}).value();
  const absl::Status status = app->Run(fn);
  EXPECT_TRUE(status.ok()) << status;
}

// Runs `fn`, which disturbs the state, in the adopted context; its status.
absl::Status DisturbWhileAdopted(absl::FunctionRef<absl::Status()> fn) {
  const Snapshot before = TakeSnapshot();
  const std::unique_ptr<Context> adopted = Context::AdoptCurrent().value();
  absl::Status inside = adopted->Run([&] {
    absl::Status status = fn();
    EXPECT_NE(TakeSnapshot(), before) << "the test disturbs nothing";
    return status;
  });
  EXPECT_EQ(TakeSnapshot(), before);
  return inside;
}

class BorrowedStateTest : public DeviceTest {};

TEST_F(BorrowedStateTest, IsRestoredExactly) {
  InApp([] {
    const Objects mine, others;
    Disturb(mine, /*shift=*/0);
    RETURN_IF_ERROR(CheckGl("setting the app's state"));
    absl::Status inside = DisturbWhileAdopted([&] {
      Disturb(others, /*shift=*/1);
      return CheckGl("disturbing it");
    });
    inside.Update(CheckGl("restoring it"));
    return inside;
  });
}

TEST_F(BorrowedStateTest, DefaultsAreRestoredToo) {
  InApp([] {
    const Objects others;
    gl().BindBuffer(GL_COPY_WRITE_BUFFER, 0);
    gl().PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    absl::Status inside = DisturbWhileAdopted([&] {
      Disturb(others, /*shift=*/1);
      return CheckGl("disturbing it");
    });
    inside.Update(CheckGl("restoring it"));
    return inside;
  });
}

TEST_F(BorrowedStateTest, IsRestoredWhereFnFails) {
  InApp([] {
    const Objects mine, others;
    Disturb(mine, /*shift=*/0);
    EXPECT_EQ(DisturbWhileAdopted([&] {
                Disturb(others, /*shift=*/1);
                return absl::NotFoundError("no");
              }),
              absl::NotFoundError("no"));
    return absl::OkStatus();
  });
}

TEST_F(BorrowedStateTest, UploadsIgnoreTheAppsPixelStoreAndUnpackBuffer) {
  InApp([] {
    const Objects mine;
    Disturb(mine, /*shift=*/0);
    std::unique_ptr<Context> adopted = Context::AdoptCurrent().value();
    return adopted->Run([] {
      ASSIGN_OR_RETURN(Texture texture,
                       Texture::Create({GL_TEXTURE_2D, GL_RGBA32F, 1, 2, 1}));
      const float sent[8] = {1, 2, 3, 4, 5, 6, 7, 8};
      texture.Upload(0, 0, 0, 1, 2, 1, sent);

      GLuint framebuffer = 0;
      gl().GenFramebuffers(1, &framebuffer);
      gl().BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
      gl().FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                GL_TEXTURE_2D, texture.id(), 0);
      float got[8] = {};
      gl().ReadPixels(0, 0, 1, 2, GL_RGBA, GL_FLOAT, got);
      gl().DeleteFramebuffers(1, &framebuffer);
      EXPECT_THAT(got, ::testing::ElementsAreArray(sent));
      return CheckGl("upload and readback");
    });
  });
}

// A delegate's life there, from ModifyGraphWithDelegate to its end.
TEST_F(BorrowedStateTest, ADelegatesLifeLeavesNoTrace) {
  InApp([] {
    const Objects mine;
    Disturb(mine, /*shift=*/0);
    const Snapshot before = TakeSnapshot();
    const auto model = LoadOrDie(ChainModel("canmc", {1, 7, 6, 9}));
    const std::vector<float> expected = CpuResult(*model);
    for (int storage = 0; storage <= kTfLiteGlesStorageBuffer; ++storage) {
      for (bool profiled : {false, true}) {
        SCOPED_TRACE(storage);
        const DelegatePtr delegate = MakeDelegate([&](auto& options) {
          options.storage = storage;
          options.enable_op_profiling = profiled ? 1 : 0;
        });
        auto interpreter = Applied(*model, delegate);
        EXPECT_EQ(ReportOf(delegate)["context"], "borrowed");
        EXPECT_EQ(TakeSnapshot(), before);
        ExpectClose(RunOnce(interpreter.get()), expected);
        EXPECT_EQ(TakeSnapshot(), before);
      }
      EXPECT_EQ(TakeSnapshot(), before);
    }
    return CheckGl("what the delegate left behind");
  });
}

TEST_F(BorrowedStateTest, AnErrorOfTheAppIsNotTakenForOurs) {
  InApp([] {
    std::unique_ptr<Context> adopted = Context::AdoptCurrent().value();
    gl().Enable(0xFFFF);  // GL_INVALID_ENUM, never fetched
    return adopted->Run([] { return CheckGl("ours"); });
  });
}

TEST_F(BorrowedStateTest, ANestedRunRestoresAtTheOutermostOnly) {
  InApp([] {
    const Objects others;
    std::unique_ptr<Context> adopted = Context::AdoptCurrent().value();
    const Snapshot before = TakeSnapshot();
    absl::Status inside = adopted->Run([&] {
      absl::Status inner = adopted->Run([&] {
        gl().UseProgram(others.program.id());
        return absl::OkStatus();
      });
      GLint program = 0;
      gl().GetIntegerv(GL_CURRENT_PROGRAM, &program);
      EXPECT_EQ(static_cast<GLuint>(program), others.program.id());
      return inner;
    });
    EXPECT_EQ(TakeSnapshot(), before);
    return inside;
  });
}

}  // namespace
}  // namespace gles_delegate::testing

// A machine that sleeps: the time since it was started goes on, the time that programs measure stands still.
#pragma once

#include <chrono>

namespace millrace::test {

// As if this machine had just been suspended for so long, until the program ends.
void suspend_machine(std::chrono::seconds slept);

}  // namespace millrace::test

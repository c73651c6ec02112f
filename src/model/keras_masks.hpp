// The masks that reach the recurrent layers of Keras in a program.
#pragma once

#include <functional>
#include <map>

#include "model/python_source.hpp"

namespace rnncheck::model {

/// Follows the data of a program backwards from a layer to where a mask begins.
class KerasMasks {
  public:
    /// `place` names a line: "line 3", "cell 2, line 3".
    KerasMasks(const PythonSource& program, const std::function<std::string(std::size_t)>& place)
        : program_(program), place_(place) {
        read_sequentials();
    }

    /// The mask that reaches the layer that this call builds: "from Masking, line
    /// 3", "" without one, "? zero" where the expression `zero` decides at run time.
    std::string before(const Call& call) const;

  private:
    /// A mask as before(); nothing where the way of the data is not followed.
    using Mask = std::optional<std::string>;

    /// What the layer gets where it is called; where it is called
    /// several times, a mask of any.
    Mask by_flow(const Call& call, int depth) const;
    /// The brackets of a layer's calls: LSTM(8)(x), or lstm(x) of lstm = LSTM(8).
    std::vector<std::size_t> uses_of(const Call& call) const;
    Mask of_input(std::size_t open, int depth) const;
    /// Of the expression that begins at this token and ends before `last`.
    Mask of_expression(std::size_t first, std::size_t last, int depth) const;
    Mask of_name(const std::string& name, std::size_t before, int depth) const;
    Mask of_output(const Call& call, std::size_t open, int depth) const;
    /// The call that builds the layer which is called at this token;
    /// null where it is none of Keras.
    const Call* layer_called(std::size_t at) const;

    std::string by_order(const Call& call) const;
    std::string of_embedding(const Call& call) const;
    bool drops(const Call& call) const;
    bool in_sequential(std::size_t at) const;
    void read_sequentials();
    std::size_t start_of_model(std::size_t at) const;
    std::string of_argument(const Call& call) const;

    const PythonSource& program_;
    const std::function<std::string(std::size_t)>& place_;
    /// Of each Sequential(...) and model.add(...) its opening bracket, and the
    /// last closing one up to there.
    std::map<std::size_t, std::size_t> sequentials_;
};

}  // namespace rnncheck::model
